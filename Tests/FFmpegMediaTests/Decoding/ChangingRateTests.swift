import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Streams with a changing sample rate")
struct ChangingRateTests {
    /// Makes a file of concatenated parts: four seconds of audio at each of the sample rates.
    private func joined(_ ending: String, _ arguments: [String], _ rates: [Int]) throws -> URL {
        let parts = try rates.map { rate in
            try TestMedia.shared.encoded(
                TestSignal(sampleRate: rate, frameCount: rate * 4), as: "part \(rate) of \(ending)", ending, arguments)
        }
        return try TestMedia.shared.file("joined \(rates).\(ending)") { url in
            try parts.map { try Data(contentsOf: $0) }.reduce(Data(), +).write(to: url)
        }
    }

    private func checkWhole(_ whole: [Float], _ rate: Int) {
        #expect(abs(Double(whole.count) / Double(rate) - 8) < 0.2)
        // The second part is noise, which has no ten silent frames in succession. So ten such frames, away from the part's ends, would be a hole.
        let second = Array(whole[(rate * 5)..<(rate * 7)])
        #expect(!second.indices.dropLast(10).contains { index in second[index..<(index + 10)].allSatisfy { abs($0) < 1e-6 } })
    }

    @Test(
        "the stream has the length of its parts, without holes, and seeks give the same samples (R-SEEK-01)",
        arguments: [[44_100, 48_000], [44_100, 22_050], [48_000, 44_100]])
    func isExact(_ rates: [Int]) throws {
        let url = try joined("aac", ["-c:a", "aac", "-aac_pns", "0"], rates)
        checkWhole(try SeekTests.check(url, .repeatable, count: SeekTests.few).channel(0, of: 2), rates[0])
    }

    @Test(
        "the stream has the length of its parts, without holes, for codecs whose seeks are not exact",
        arguments: [("ac3", ["-c:a", "ac3"]), ("mp3", ["-c:a", "libmp3lame", "-write_xing", "0"])], [[44_100, 48_000], [48_000, 44_100]])
    func lasts(_ kind: (ending: String, arguments: [String]), _ rates: [Int]) throws {
        let url = try joined(kind.ending, kind.arguments, rates)
        checkWhole(try Reading.samples(Reading.open(url)).channel(0, of: 2), rates[0])
    }
}
