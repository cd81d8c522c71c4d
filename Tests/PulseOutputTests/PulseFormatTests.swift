import CPulse
import PlaybackEngine
import Testing

@testable import PulseOutput

@Suite("Formats in PulseAudio's terms")
struct PulseFormatTests {
    @Test(
        "channel positions keep their order",
        arguments: [
            (ChannelLayout.mono, "mono"), (.stereo, "front-left,front-right"),
            (ChannelLayout(mask: 0x3F), "front-left,front-right,front-center,lfe,rear-left,rear-right"),
            (ChannelLayout(mask: 0x60F), "front-left,front-right,front-center,lfe,side-left,side-right"),
            (ChannelLayout(mask: 0x104), "front-center,rear-center"),
        ])
    func maps(layout: ChannelLayout, expected: String) throws {
        var map = try #require(layout.pulseChannelMap)
        var text = [CChar](repeating: 0, count: 512)
        pa_channel_map_snprint(&text, text.count, &map)
        let length = text.firstIndex(of: 0) ?? 0
        #expect(String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == expected)
    }

    @Test(
        "a device's channel layout is read from PulseAudio's map",
        arguments: [ChannelLayout.mono, .stereo, ChannelLayout(mask: 0x60F), ChannelLayout(mask: 0x63F)])
    func readsMaps(layout: ChannelLayout) throws {
        let map = try #require(layout.pulseChannelMap)
        #expect(ChannelLayout(map) == layout)
    }

    @Test("a device without named channel positions has no layout")
    func readsUnnamedMap() throws {
        var map = pa_channel_map()
        _ = pa_channel_map_init_auto(&map, 2, PA_CHANNEL_MAP_AUX)
        #expect(ChannelLayout(map) == nil)
    }

    @Test(
        "positions unknown to PulseAudio get its default names, one for each channel",
        arguments: [
            ChannelLayout(mask: 1 << 40 | 1), ChannelLayout(count: 32), ChannelLayout(mask: 1 << 63),
        ])
    func unknownSpeakers(layout: ChannelLayout) throws {
        var map = try #require(layout.pulseChannelMap)
        #expect(Int(map.channels) == layout.count)
        #expect(pa_channel_map_valid(&map) != 0)
    }

    @Test("more channels than PulseAudio supports are refused", arguments: [33, 64, 256, 1_000])
    func tooManyChannels(count: Int) {
        #expect(ChannelLayout(count: count).pulseChannelMap == nil)
        #expect(AudioFormat(sampleRate: 44_100, channelLayout: ChannelLayout(count: count)).pulseSampleSpecification == nil)
    }

    @Test("the buffer holds two seconds, is refilled in less than one, and requests a device latency of a fifth of a second")
    func buffer() {
        let attributes = AudioFormat.compactDisc.pulseBufferAttributes(bytesPerFrame: 8)
        #expect(attributes.tlength == 2 * 44_100 * 8)
        #expect(attributes.minreq == 39_690 * 8)
        #expect(attributes.tlength - 2 * attributes.minreq == 8_820 * 8)
        #expect(attributes.prebuf == 8)
    }

    @Test("the buffer stays below the server's limit and has whole frames, for every format")
    func hugeBuffer() {
        let format = AudioFormat(sampleRate: 384_000, channelLayout: ChannelLayout(count: 31))
        let attributes = format.pulseBufferAttributes(bytesPerFrame: 124)
        #expect(attributes.tlength <= 4 << 20)
        #expect(attributes.tlength % 124 == 0)
        #expect(attributes.minreq % 124 == 0)
        #expect(attributes.tlength > 2 * attributes.minreq)
    }

    @Test("full volume is exactly the norm, and every number is mapped to a volume (R-VOL-02)")
    func volumes() {
        #expect(pulseVolume(1) == CPulse_volumeNorm)
        #expect(pulseVolume(7) == CPulse_volumeNorm)
        #expect(pulseVolume(.infinity) == CPulse_volumeNorm)
        #expect(pulseVolume(0) == 0)
        #expect(pulseVolume(-1) == 0)
        #expect(pulseVolume(.nan) == 0)
        #expect(abs(pa_sw_volume_to_linear(pulseVolume(0.3)) - 0.3) < 0.000_1)
    }
}
