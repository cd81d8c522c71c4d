import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("The budget of reading")
struct BudgetedSourceTests {
    private static let block = 1 << 20

    private struct Outcome: Equatable {
        var blocks: Int
        var code: PlaybackError.Code?
    }

    /// A server that needs some time for each read, of a virtual clock.
    private final class SlowServer: ByteSource {
        private let clock: VirtualClock
        var delay: Double
        private(set) var offset: Int64 = 0
        init(_ clock: VirtualClock, delay: Double) { (self.clock, self.delay) = (clock, delay) }

        var length: Int64? { nil }
        var isRemote: Bool { true }
        var isLive: Bool { false }
        var isSeekable: Bool { false }
        func seek(to offset: Int64) throws(PlaybackError) {}
        func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
            clock.advance(by: delay)
            offset += 1000
            return 1000
        }
    }

    /// Reads blocks of a mebibyte until an error, at most `maximum`, and returns their number with the error's code.
    private func read(_ source: BudgetedSource, maximum: Int) -> Outcome {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.block, alignment: 16)
        defer { buffer.deallocate() }
        var blocks = 0
        do throws(PlaybackError) {
            while blocks < maximum, try source.read(into: buffer) > 0 { blocks += 1 }
            return Outcome(blocks: blocks, code: nil)
        } catch { return Outcome(blocks: blocks, code: error.code) }
    }

    @Test("without audio, reading ends after the bytes of the budget and, in a file, as many as it stores", arguments: [true, false])
    func bytes(_ isRemote: Bool) {
        let stored = 3 * Self.block, base = HoledSource([UInt8](repeating: 1, count: stored), isRemote: isRemote)
        let source = BudgetedSource(base, interrupt: Interrupt(), byteLimit: Int64(8 * Self.block))
        let expected = isRemote ? 8 : 11
        #expect(read(source, maximum: 100) == Outcome(blocks: expected, code: .noAudio))
        #expect(read(source, maximum: 100) == Outcome(blocks: 0, code: .noAudio))
        #expect(base.count == Int64(expected * Self.block))
    }

    @Test("a call that reads on gets less of a hole in a file than one that searches; from a server both get the same", arguments: [true, false])
    func reading(_ isRemote: Bool) {
        let base = HoledSource([UInt8](repeating: 1, count: 3 * Self.block), isRemote: isRemote)
        let source = BudgetedSource(base, interrupt: Interrupt())
        let (much, little) = (Int(BudgetedSource.byteLimit) / Self.block, Int(BudgetedSource.readLimit) / Self.block)
        source.beginReading()
        #expect(read(source, maximum: 1000) == Outcome(blocks: isRemote ? much : little + 3, code: .noAudio))
        source.beginSearching()
        #expect(read(source, maximum: 1000) == Outcome(blocks: isRemote ? much : much + 3, code: .noAudio))
    }

    @Test("audio renews the budget of bytes")
    func progress() {
        let source = BudgetedSource(HoledSource([], isRemote: true), interrupt: Interrupt(), byteLimit: Int64(8 * Self.block))
        for _ in 0..<10 {
            #expect(read(source, maximum: 8) == Outcome(blocks: 8, code: nil))
            source.noteProgress()
        }
        #expect(read(source, maximum: 9) == Outcome(blocks: 8, code: .noAudio))
        source.noteProgress()
        #expect(read(source, maximum: 8) == Outcome(blocks: 8, code: nil))
    }

    @Test("a server that sends no audio for 15 minutes is too slow; one at 8 kbit/s whose bytes give audio is not")
    func slowness() {
        let clock = VirtualClock(), source = BudgetedSource(SlowServer(clock, delay: 1), interrupt: Interrupt(), clock: clock)
        #expect(read(source, maximum: 10_000) == Outcome(blocks: Int(BudgetedSource.waitLimit), code: .timedOut))
        for _ in 0..<100 {
            source.noteProgress()
            #expect(read(source, maximum: 100) == Outcome(blocks: 100, code: nil))
        }
    }

    @Test("the wait for a lost connection counts little, and the time between two reads does not count")
    func outage() {
        let clock = VirtualClock(), server = SlowServer(clock, delay: 3600)
        let source = BudgetedSource(server, interrupt: Interrupt(), clock: clock)
        #expect(read(source, maximum: 5) == Outcome(blocks: 5, code: nil))
        server.delay = 0
        clock.advance(by: 86_400)
        #expect(read(source, maximum: 1000) == Outcome(blocks: 1000, code: nil))
    }

    @Test("processor time without audio ends the reading")
    func processor() {
        let processor = VirtualClock(), base = SlowServer(processor, delay: 2)
        let source = BudgetedSource(base, interrupt: Interrupt(), processor: processor)
        // The first read begins at time 0, so ten of two seconds are complete before the limit is noticed.
        #expect(read(source, maximum: 100) == Outcome(blocks: Int(BudgetedSource.processorLimit / 2), code: .noAudio))
        source.noteProgress()
        processor.advance(by: 1000)
        #expect(read(source, maximum: 5) == Outcome(blocks: 5, code: nil))
    }

    @Test("a raised interrupt ends the reading before the next byte")
    func interrupted() {
        let interrupt = Interrupt(), base = HoledSource([], isRemote: false)
        base.interrupt = interrupt
        let source = BudgetedSource(base, interrupt: interrupt)
        #expect(read(source, maximum: 100) == Outcome(blocks: 1, code: .cancelled))
        #expect(base.count == Int64(Self.block))
    }
}
