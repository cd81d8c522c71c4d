import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("A stream whose sample rate changes")
struct ChangingRateTests {
    /// Four seconds of each rate, one file behind the other.
    private func joined(_ ending: String, _ arguments: [String], _ rates: [Int]) throws -> URL {
        let parts = try rates.map { rate in
            try TestMedia.shared.encoded(
                TestSignal(sampleRate: rate, frameCount: rate * 4), as: "part \(rate) of \(ending)", ending, arguments)
        }
        return try TestMedia.shared.file("joined \(rates).\(ending)") { url in
            try parts.map { try Data(contentsOf: $0) }.reduce(Data(), +).write(to: url)
        }
    }

    @Test(
        "lasts as long as its parts, without holes, and is sought to the same samples (R-SEEK-01)",
        arguments: [("aac", ["-c:a", "aac", "-aac_pns", "0"]), ("mp3", ["-c:a", "libmp3lame", "-write_xing", "0"])],
        [[44_100, 48_000], [44_100, 22_050]])
    func lasts(_ kind: (ending: String, arguments: [String]), _ rates: [Int]) throws {
        let url = try joined(kind.ending, kind.arguments, rates)
        let whole = try SeekTests.check(url, .repeatable).channel(0, of: 2)
        #expect(abs(Double(whole.count) / Double(rates[0]) - 8) < 0.2)
        // Noise has no ten silent frames in a row, but where one part ends and the other begins.
        let second = Array(whole[(rates[0] * 5)..<(rates[0] * 7)])
        #expect(!second.indices.dropLast(10).contains { index in second[index..<(index + 10)].allSatisfy { abs($0) < 1e-6 } })
    }

    @Test("lasts as long as its parts in AC-3 too")
    func lastsInAC3() throws {
        let whole = try Reading.samples(Reading.open(joined("ac3", ["-c:a", "ac3"], [44_100, 48_000]))).channel(0, of: 2)
        #expect(abs(Double(whole.count) / 44_100 - 8) < 0.2)
        let second = Array(whole[(44_100 * 5)..<(44_100 * 7)])
        #expect(!second.indices.dropLast(10).contains { index in second[index..<(index + 10)].allSatisfy { abs($0) < 1e-6 } })
    }
}
