import Testing

@testable import PlaybackEngine

@Suite("The tape of decoded audio from the feeder to the engine")
struct TapeTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)

    /// Returns a block of one channel, in which all samples have the same value.
    private func block(at position: Int64, _ count: Int, _ value: Float = 1) -> AudioBlock {
        AudioBlock(position: position, frameCount: count, channelCount: 1) { $0.initialize(repeating: value) }
    }

    /// Returns a write end with 200 frames of item a in two blocks, which is the whole item, and with the first 100 frames of item b.
    private func writeEnd(limits: (low: Int, high: Int) = (1, 2)) -> Tape.WriteEnd {
        let writeEnd = Tape.WriteEnd(limits: limits)
        let elements: [Tape.Element] = [
            .start(a, position: 0), .block(a, block(at: 0, 100)), .block(a, block(at: 100, 100)), .end(a, position: 200), .start(b, position: 0),
            .block(b, block(at: 0, 100, 0.5)),
        ]
        for element in elements { writeEnd.append(element) }
        return writeEnd
    }

    /// Returns a tape with these elements, all of them taken.
    private func tape() -> Tape {
        let tape = Tape()
        tape.begin(writeEnd())
        while tape.take() != nil {}
        return tape
    }

    /// Returns the samples of the tape's blocks from its cursor (the next frame to render) on.
    private func rest(of tape: Tape) -> [Float] {
        var samples: [Float] = []
        while let element = tape.next {
            if case .block(_, let block) = element { samples += block.samples[tape.offset...] }
            tape.skip()
        }
        return samples
    }

    @Test("the frames ahead are counted, and a consumed block moves the cursor to the next element")
    func consumes() {
        let tape = tape()
        #expect(tape.framesAhead == 300)
        tape.skip()
        tape.consume(40)
        #expect(tape.framesAhead == 260 && tape.offset == 40)
        tape.consume(60)
        #expect(tape.framesAhead == 200 && tape.offset == 0)
        let next = if case .block(_, let block)? = tape.next { block.position } else { Int64(-1) }
        #expect(next == 100)
    }

    @Test("a rewind reaches every position that is kept, and refuses others")
    func rewinds() {
        let tape = tape()
        for _ in 0..<4 { tape.skip() }
        #expect(tape.rewind(to: a, position: 130))
        #expect(tape.offset == 30 && tape.framesAhead == 170)
        for _ in 0..<3 { tape.skip() }
        tape.consume(60)
        tape.trim(before: b, position: 50)
        #expect(!tape.rewind(to: a, position: 130))
        #expect(tape.offset == 60 && tape.framesAhead == 40, "nothing has changed")
    }

    @Test("the audio after an item can be discarded, and the result is whether some of it was rendered")
    func truncates() {
        let early = tape()
        #expect(!early.truncate(after: a))
        #expect(early.framesAhead == 200 && early.continuation(isReverse: false)?.position == nil)
        let late = tape()
        for _ in 0..<5 { late.skip() }
        late.consume(1)
        #expect(late.truncate(after: a))
        #expect(late.framesAhead == 0)
    }

    @Test("reading continues after the last block, or before it at a negative rate")
    func continues() throws {
        let forwards = try #require(tape().continuation(isReverse: false))
        #expect(forwards.item == b && forwards.position == 100)
        let backwards = try #require(tape().continuation(isReverse: true))
        #expect(backwards.item == b && backwards.position == 0)
    }

    @Test("a crossfade shortens both items by the overlap, at equal power, and is undone when other items follow")
    func crossfades() throws {
        let tape = tape()
        let end = try #require(tape.end(of: a))
        #expect(end.position == 200 && end.framesBefore == 200 && end.next?.frames == 100 && end.next?.hasEnd == false)
        tape.crossfade(from: a, frames: 50, gain: 1)
        #expect(tape.isCrossfaded(from: a) && tape.isCrossfaded(into: b))
        #expect(tape.framesAhead == 250)
        let samples = rest(of: tape)
        #expect(Array(samples.prefix(150)) == Array(repeating: 1, count: 150))
        #expect(Array(samples.suffix(50)) == Array(repeating: 0.5, count: 50))
        let middle = samples[174...175].map { abs($0 - 1.5 * Float(0.5).squareRoot()) }
        #expect(middle.allSatisfy { $0 < 0.02 }, "in the middle both have half of their power")
        _ = tape.truncate(after: a)
        #expect(!tape.isCrossfaded(from: a))
        #expect(tape.rewind(to: a, position: 0))
        #expect(rest(of: tape) == Array(repeating: 1, count: 200))
    }

    // MARK: The write end

    @Test("audio that the engine has taken is not kept by the write end")
    func taken() {
        let writeEnd = Tape.WriteEnd()
        weak var first: AudioBlock?
        for number in 0..<3 {
            let block = block(at: Int64(number) * 16, 16)
            if number == 0 { first = block }
            writeEnd.append(.block(a, block))
        }
        #expect(first != nil && writeEnd.frames == 48)
        #expect(writeEnd.take() != nil)
        #expect(first == nil && writeEnd.frames == 32, "only the tape keeps it")
    }

    @Test("audio of a replaced order is not played, and an order that continues keeps what was taken")
    func replacesOrders() {
        let tape = Tape(), former = writeEnd()
        tape.begin(former)
        _ = (tape.take(), tape.take())
        let rest = Tape.WriteEnd()
        tape.extend(by: rest)
        former.append(.block(b, block(at: 100, 100)))
        #expect(tape.take() == nil && tape.framesAhead == 100)
        rest.append(.join(a, position: 100, isTurn: false))
        rest.append(.block(a, block(at: 100, 50)))
        #expect(tape.take() != nil && tape.take() != nil && tape.take() == nil)
        #expect(tape.framesAhead == 150)
        tape.begin(former)
        #expect(tape.next == nil && tape.framesAhead == 0)
    }

    @Test("the audio after an item is removed where it waits, and the engine is told only if it has taken the item's end")
    func truncatesWaiting() {
        let early = writeEnd()
        early.truncate(after: a)
        #expect(early.frames == 200 && early.takeTruncation() == nil)
        let late = writeEnd()
        for _ in 0..<4 { _ = late.take() }
        late.truncate(after: a)
        late.append(.start(b, position: 0))
        #expect(late.frames == 0 && late.take() == nil, "what was taken is discarded first")
        #expect(late.takeTruncation() == a && late.takeTruncation() == nil)
        #expect(late.take() != nil)
    }

    @Test("a seek has landed when enough of its audio waits, or its end")
    func landing() {
        let writeEnd = Tape.WriteEnd()
        #expect(writeEnd.landing(withFrames: 0) == nil)
        writeEnd.append(.start(a, position: 88_000))
        writeEnd.append(.block(a, block(at: 88_000, 100)))
        #expect(writeEnd.landing(withFrames: 100) == 88_000)
        #expect(writeEnd.landing(withFrames: 101) == nil)
        writeEnd.append(.end(a, position: 88_100))
        #expect(writeEnd.landing(withFrames: 101) == 88_000)
    }

    @Test("the feeder stops reading at the high limit, and is hungry below the low one or below the level for which it waits")
    func limits() {
        let full = writeEnd(limits: (low: 150, high: 300))
        #expect(!full.wantsMore && full.isFull && !full.isHungry)
        for _ in 0..<2 { _ = full.take() }
        #expect(!full.wantsMore && !full.isHungry, "200 frames are left")
        _ = full.take()
        #expect(full.isHungry && full.wantsMore && !full.isFull)
        let waiting = writeEnd(limits: (low: 150, high: 1000))
        #expect(!waiting.staysAbove(301) && waiting.staysAbove(300) && !waiting.isHungry)
        for _ in 0..<2 { _ = waiting.take() }
        #expect(waiting.isHungry)
    }

    @Test("the engine is woken for the first element, for the next one after it found none, and when the write end is full")
    func wakes() {
        let writeEnd = writeEnd(limits: (low: 150, high: 350))
        #expect(writeEnd.answerEngine() && !writeEnd.answerEngine())
        while writeEnd.take() != nil {}
        writeEnd.append(.block(b, block(at: 100, 100)))
        #expect(writeEnd.answerEngine() && !writeEnd.answerEngine())
        writeEnd.append(.block(b, block(at: 200, 250)))
        #expect(writeEnd.answerEngine())
    }
}
