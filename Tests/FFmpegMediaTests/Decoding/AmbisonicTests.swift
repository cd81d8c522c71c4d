import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Ambisonics (RFC 8486)")
struct AmbisonicTests {
    /// A medium whose first channels are a sound field. Of six channels, the last two are other stereo.
    private func medium(_ channels: Int, _ ending: String) throws -> (url: URL, signal: TestSignal) {
        let signal = TestSignal(sampleRate: 48_000, channelCount: channels, frameCount: 48_000)
        let arguments = ["-c:a", "libopus", "-mapping_family", "2", "-b:a", "600k"]
        return (try TestMedia.shared.encoded(signal, as: "ambisonic", ending, arguments), signal)
    }

    @Test("mapping family 2 becomes stereo by the RFC's matrices, and never speakers", arguments: [4, 6], ["opus", "mka"])
    func stereo(_ channels: Int, _ ending: String) throws {
        let (url, signal) = try medium(channels, ending)
        let reader = try Reading.open(url)
        #expect(reader.info.format == AudioFormat(sampleRate: 48_000, channelLayout: .stereo))
        let heard = try Reading.samples(reader), source = signal.samples().map { Float($0) }
        func channel(_ number: Int) -> [Float] { source.channel(number, of: channels) }
        for (side, sign) in [Float(1), -1].enumerated() {
            var expected = zip(channel(0), channel(1)).map { ($0 + sign * $1) / 2 }
            if channels == 6 { expected = zip(expected, channel(4 + side)).map { ($0 + $1) / 2 } }
            let found = SampleComparison.alignment(heard.channel(side, of: 2), expected, reach: 100)
            // Opus leaves a likeness of 0.92 of this noise; with the wrong matrix it is at most 0.8.
            #expect(found.lag == 0 && found.likeness > 0.9, "\(found)")
            let level = SampleComparison.difference([rootMeanSquare(heard.channel(side, of: 2))], [rootMeanSquare(expected)])
            #expect(level < 0.02)
        }
        #expect(reader.skippedPackets == 0)
        #expect(try reader.seek(to: 30_000, before: 0, after: 0) == 30_000)
        let rest = try Reading.samples(reader, limit: 5_000)
        #expect(SampleComparison.difference(rest, heard, from: 60_000) <= 0x1p-15)
    }

    @Test("mapping family 3, for which there is no decoder, is refused by name")
    func demixing() throws {
        var bytes = try [UInt8](Data(contentsOf: medium(4, "mka").url))
        let name = Array("OpusHead".utf8)
        let found = bytes.indices.dropLast(20).first(where: { bytes[$0] == name[0] && bytes[$0..<($0 + 8)].elementsEqual(name) })
        let place = try #require(found)
        bytes[place + 18] = 3
        let url = try TestMedia.shared.file("ambisonic-3.mka") { try Data(bytes).write(to: $0) }
        #expect(Reading.failure(MediaSource(.file(path: url.path)))?.code == .unsupportedFormat)
    }

    private func rootMeanSquare(_ samples: [Float]) -> Float {
        (samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot()
    }
}
