import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("WavPack without names of channels")
struct WavPackChannelTests {
    /// Returns a WavPack file of four channels whose blocks have `replacement` in place of the number of channels and their mask.
    private static func bytes(_ signal: TestSignal, _ replacement: [UInt8]) throws -> [UInt8] {
        var bytes = try DurationTests.bytes("channels", "wv", ["-c:a", "wavpack"], signal)
        var count = 0
        for place in bytes.indices.dropLast(96) where bytes[place] == 0x77 && bytes[place..<(place + 4)].elementsEqual("wvpk".utf8) {
            // The encoder writes a mask of four bytes. A sub-block without meaning takes the rest of its bytes.
            let long: [UInt8] = [0x4D, 3, 4, 0x33, 0, 0, 0, 0]
            guard let channels = (place + 32..<place + 88).first(where: { bytes[$0..<($0 + 8)].elementsEqual(long) }) else { continue }
            bytes.replaceSubrange(channels..<(channels + 8), with: replacement + [0, 1, 0, 0])
            count += 1
        }
        try #require(count > 2)
        return bytes
    }

    @Test(
        "four channels of several blocks are played if the mask of speakers is absent, empty or incomplete",
        arguments: [[0x4D, 1, 4, 0], [0x0D, 1, 4, 0], [0x0D, 1, 4, 3]] as [[UInt8]])
    func unnamed(_ replacement: [UInt8]) throws {
        let signal = TestSignal(channelCount: 4, frameCount: 100_000)
        let url = try DurationTests.file("channels-\(replacement[0])-\(replacement[3]).wv", WavPackChannelTests.bytes(signal, replacement))
        let reader = try Reading.open(url)
        #expect(reader.info.format.channelCount == 4 && reader.duration == .exact(frames: 100_000, sampleRate: 44_100))
        let whole = signal.integers(bits: 16).map { Float($0) * 0x1p-15 }
        let isEqual = try Reading.samples(reader) == whole
        #expect(isEqual && reader.skippedPackets == 0)
        #expect(try reader.seek(to: 70_000, before: 0, after: 0) == 70_000)
        let isRestEqual = try Reading.samples(reader) == Array(whole.dropFirst(4 * 70_000))
        #expect(isRestEqual)
    }

    @Test("a mask that names each channel is kept")
    func named() throws {
        let signal = TestSignal(channelCount: 4, frameCount: 100_000)
        let url = try DurationTests.file("channels-named.wv", WavPackChannelTests.bytes(signal, [0x0D, 1, 4, 0x0F]))
        #expect(try Reading.open(url).info.format.channelLayout.mask == 0x0F)
    }
}
