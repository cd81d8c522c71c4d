import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Exact seeks")
struct SeekTests {
    /// The number of seeks in a test of one special case. A test of a whole format has `count` seeks.
    static let few = TestDepth.isThorough ? 60 : 12
    static let count = TestDepth.isThorough ? 200 : 24

    @Test("seeks give the samples of uninterrupted reading (R-SEEK-01, R-SEEK-18)", arguments: Encoding.all + Encoding.others)
    func equalsTail(_ encoding: Encoding) throws {
        let whole = try SeekTests.check(encoding.file(), encoding.fidelity, likeness: encoding.likenessOfSeeks)
        // The samples are not all silent.
        #expect(whole.contains { abs($0) > 0.05 })
    }

    /// Seeks to random positions of a file, and compares the samples there with those of uninterrupted reading. Returns the samples of uninterrupted
    /// reading.
    @discardableResult
    static func check(_ url: URL, _ fidelity: Encoding.Fidelity, likeness: Double = 0.97, count: Int = SeekTests.count) throws -> [Float] {
        let first = try Reading.open(url), early = first.duration
        let whole = try Reading.samples(first), channels = first.info.format.channelCount
        let total = whole.count / channels
        // Only what reading confirms may be called exact.
        #expect(!early.isExact || early == .exact(frames: Int64(total), sampleRate: first.info.format.sampleRate))
        // Where the samples are not compared, the medium says that they may differ, and where they must be those of the source, that they do not.
        #expect(fidelity == .repeatable || first.info.isRepeatable == (fidelity == .lossless))
        var random = SeededGenerator(seed: 7)
        var reader = first
        for number in 0..<count {
            // After every 16 seeks the file is opened again. So seeks are tested both in a reader that knows little of the file, and in one that
            // knows more.
            if number % 16 == 15 { reader = try Reading.open(url) }
            let target = number == 0 ? 0 : number == 1 ? total - 100 : Int.random(in: 0..<total, using: &random)
            let landed = try reader.seek(to: Int64(target), before: 0, after: 0)
            let block = try #require(try reader.read(), "seek \(number) to \(target)")
            #expect(landed == Int64(target) && block.position == landed, "seek \(number) to \(target)")
            try #require(block.end <= Int64(total), "seek \(number) to \(target)")
            // After every 40th seek all samples up to the end of the file are compared.
            if number % 40 == 5 { try checkTail(reader, after: block, of: whole, fidelity, "seek \(number) to \(target)") }
            switch fidelity {
            case .lossless:
                let difference = Reading.difference(block, whole, first: target * channels)
                #expect(difference == 0, "seek \(number) to \(target)")
            case .repeatable:
                let difference = Reading.difference(block, whole, first: target * channels)
                #expect(difference <= 0x1p-15, "seek \(number) to \(target)")
            case .aligned:
                guard block.frameCount >= 2048 else { continue }
                // The best alignment is searched within ±40 frames, and at a few positions within ±700 frames, because a long search takes much time.
                let reach = number % 50 == 2 ? 700 : 40, frames = 2048
                let expected = whole.frames(target..<(target + frames), of: channels).channel(0, of: channels)
                let found = SampleComparison.alignment(Array(block.samples[..<(frames * channels)]).channel(0, of: channels), expected, reach: reach)
                #expect(found.lag == 0 && found.likeness > likeness, "seek \(number) to \(target): \(found)")
            }
        }
        #expect(reader.skippedPackets == 0)
        #expect(reader.duration == .exact(frames: Int64(total), sampleRate: reader.info.format.sampleRate) || !reader.duration.isExact)
        #expect(first.duration == .exact(frames: Int64(total), sampleRate: first.info.format.sampleRate))
        return whole
    }

    /// Reads from `block` to the end of the file, and compares the samples with those of uninterrupted reading (`whole`).
    private static func checkTail(
        _ reader: any AudioReader, after block: AudioBlock, of whole: [Float], _ fidelity: Encoding.Fidelity, _ comment: Comment
    ) throws {
        let rest = try Reading.samples(reader), from = whole.count - rest.count
        #expect(from == Int(block.end) * reader.info.format.channelCount, comment)
        guard fidelity != .aligned else { return }
        let worst = SampleComparison.difference(rest, whole, from: from)
        #expect(worst <= (fidelity == .lossless ? 0 : 0x1p-15), comment)
    }
}
