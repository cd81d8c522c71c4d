import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Seeks with zero tolerance")
struct SeekTests {
    static let count = ProcessInfo.processInfo.environment["TONEARM_SEEKS"].flatMap { Int($0) } ?? 20

    @Test("a seek gives what uninterrupted reading gives there (R-SEEK-01, R-SEEK-18)", arguments: Encoding.all)
    func equalsTail(_ encoding: Encoding) throws {
        let url = try encoding.file()
        let channels = encoding.signal.channelCount
        let whole = try Reading.samples(Reading.open(url))
        let total = whole.count / channels
        var random = SeededGenerator(seed: 7)
        var reader = try Reading.open(url)
        var worst: Float = 0
        for number in 0..<SeekTests.count {
            // A fresh reader now and then: with nothing known of the file, and with all of it.
            if number % 4 == 3 { reader = try Reading.open(url) }
            let target = number == 0 ? 0 : number == 1 ? total - 100 : Int.random(in: 0..<total, using: &random)
            let landed = try reader.seek(to: Int64(target), before: 0, after: 0)
            #expect(landed == Int64(target))
            let count = min(6000, total - target)
            let block = try Reading.samples(reader, limit: count)
            let expected = whole.frames(target..<(target + count), of: channels)
            #expect(block.count == expected.count, "seek \(number) to \(target)")
            guard block.count == expected.count else { continue }
            let difference = zip(block, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
            worst = max(worst, difference)
            switch encoding.fidelity {
            case .lossless: #expect(difference == 0, "seek \(number) to \(target)")
            case .repeatable: #expect(difference <= 0x1p-15, "seek \(number) to \(target)")
            case .aligned:
                guard count > 4000 else { continue }
                let found = Reading.alignment(block.channel(0, of: channels), expected.channel(0, of: channels), reach: 1000)
                #expect(found.lag == 0 && found.likeness > 0.98, "seek \(number) to \(target): \(found)")
            }
        }
        if ProcessInfo.processInfo.environment["TONEARM_SEEKS_REPORT"] != nil { print("worst difference of \(encoding.name): \(worst)") }
        #expect(reader.skippedPackets == 0)
    }
}
