import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@Suite("The progress of a seek (R-SEEK-23)")
struct SeekProgressTests {
    private let clock = VirtualClock()
    private let progress: SeekProgress

    init() { progress = SeekProgress(clock: clock) }

    /// Passes a position after some seconds, and returns the progress.
    private func pass(_ position: Int64, after seconds: Double) -> Double? {
        clock.advance(by: seconds)
        progress.pass(position, of: 1100)
        return progress.fraction
    }

    @Test("a seek that lands soon has no progress")
    func short() {
        progress.begin()
        #expect(pass(100, after: 0.1) == nil && pass(1000, after: 0.3) == nil)
        progress.end()
        #expect(progress.fraction == nil)
    }

    @Test("a seek that takes long has its share of the way from its first position, once in a period")
    func long() {
        progress.begin()
        #expect(pass(100, after: 0.1) == nil)
        #expect(pass(300, after: 0.5) == 0.2)
        #expect(pass(400, after: 0.5) == 0.2)
        #expect(pass(600, after: 0.5) == 0.5)
        #expect(pass(2000, after: 1) == 1)
        progress.end()
        #expect(progress.fraction == nil)
    }

    @Test("the next seek begins anew, and a position outside of a seek has no progress")
    func next() {
        #expect(pass(500, after: 10) == nil)
        for first in [100, 600] as [Int64] {
            progress.begin()
            #expect(pass(first, after: 0.1) == nil)
            #expect(pass((first + 1100) / 2, after: 1) == 0.5)
            progress.end()
        }
        progress.begin()
        #expect(pass(1200, after: 10) == nil)
    }

    @Test("each change of the progress is reported, and nothing else")
    func observer() {
        let count = Counter()
        progress.observe { count.increase() }
        progress.begin()
        for position in [100, 300, 400, 600] as [Int64] { _ = pass(position, after: 0.6) }
        #expect(count.value == 2)
        progress.end()
        progress.end()
        #expect(count.value == 3)
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func increase() { count.withLock { $0 += 1 } }
    }
}
