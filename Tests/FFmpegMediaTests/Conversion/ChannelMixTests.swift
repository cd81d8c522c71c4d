import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("The mix of any channels into any others")
struct ChannelMixTests {
    private static let outputs: [ChannelLayout] = [0x4, 0x3, 0x5, 0x30, 0x600, 0xC, 0x33, 0x3F, 0x63F].map { ChannelLayout(mask: $0) }

    @Test("every speaker alone and every pair of WAVE's speakers is heard on every device")
    func pairs() throws {
        for first in 0..<18 {
            for second in first..<18 {
                let input = ChannelLayout(mask: 1 << UInt64(first) | 1 << UInt64(second))
                for output in ChannelMixTests.outputs {
                    _ = try SwrHandle.make(
                        from: AudioFormat(sampleRate: 44_100, channelLayout: input), to: AudioFormat(sampleRate: 44_100, channelLayout: output))
                    guard let mix = ChannelMix(from: input, to: output) else { continue }
                    let name = "\(input.mask) to \(output.mask)"
                    for row in 0..<output.count {
                        #expect(mix.factors[(row * input.count)..<((row + 1) * input.count)].reduce(0, +) < 1.000_001, "\(name) can clip")
                    }
                    for (channel, bit) in Set([first, second]).sorted().enumerated() where bit != 3 || input.count == 1 {
                        let sum = (0..<output.count).reduce(0) { $0 + mix.factors[$1 * input.count + channel] }
                        #expect(sum > 0.3, "channel \(bit) of \(name)")
                    }
                }
            }
        }
    }

    @Test("a speaker that a device lacks is replaced by the nearest ones, in equal power")
    func nearest() {
        func factors(_ input: UInt64, _ output: UInt64) -> [Double]? {
            ChannelMix(from: ChannelLayout(mask: input), to: ChannelLayout(mask: output))?.factors.map { ($0 * 1000).rounded() / 1000 }
        }
        // Back, side or upper pairs on front speakers, and the reverse.
        for pair: UInt64 in [0x30, 0x600, 0x5000, 0x28000] {
            #expect(factors(pair, 0x3) == [1, 0, 0, 1])
            #expect(factors(0x3, pair) == [1, 0, 0, 1])
        }
        // The left and the centre on both: √½ of the centre on each side, and all divided by 1 + √½.
        #expect(factors(0x5, 0x3) == [0.586, 0.414, 0, 0.414])
        #expect(factors(0x4, 0x3) == [1, 1])
        #expect(factors(0x4, 0x30) == [1, 1])
        // The speaker above the listener is as near to all four.
        #expect(factors(0x804, 0x33) == [0.586, 0.414, 0.586, 0.414, 0, 0.414, 0, 0.414])
        #expect(factors(0x3F, 0x3) == nil, "libswresample mixes the usual layouts")
        #expect(factors(0x30, 0x30) == nil)
    }

    @Test("channels of unknown speakers are heard in the middle")
    func unknown() throws {
        let mix = try #require(ChannelMix(from: ChannelLayout(count: 12), to: .stereo))
        #expect(mix.factors.allSatisfy { abs($0 - 1.0 / 12) < 1e-9 })
        let copies = try #require(ChannelMix(from: .stereo, to: ChannelLayout(count: 12)))
        #expect(copies.factors.reduce(0, +) == 2)
    }

    @Test("a file of two back, side or upper channels is played on two speakers, unchanged", arguments: [0x30, 0x600, 0x5000])
    func pair(_ mask: Int) throws {
        let samples = TestSignal(frameCount: 4_410).integers(bits: 16)
        let url = try TestMedia.shared.file("pair-\(mask).wav") { url in
            try Data(PulseCodeFile(form: .extensible, bits: 16, container: 2, mask: mask).bytes(samples)).write(to: url)
        }
        let reader = try DeliveryTests.open(url, rate: 44_100)
        #expect(reader.info.format.channelLayout.mask == UInt64(mask))
        let isEqual = try Reading.samples(reader, channels: 2) == samples.map { Float($0) * 0x1p-15 }
        #expect(isEqual)
    }

    @Test("files of many channels without speakers are heard", arguments: [9, 16, 24, 64])
    func many(_ count: Int) throws {
        let signal = TestSignal(channelCount: count, frameCount: 2_000)
        let url = try TestMedia.shared.file("many-\(count).wav") { url in
            let file = PulseCodeFile(form: .extensible, bits: 16, container: 2, channels: count, mask: 0)
            try Data(file.bytes(signal.integers(bits: 16))).write(to: url)
        }
        let heard = try Reading.samples(DeliveryTests.open(url, rate: 44_100), channels: 2)
        #expect(heard.count == 4_000 && heard.contains { abs($0) > 0.001 })
    }
}
