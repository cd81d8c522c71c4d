import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import tonearm

@Suite("The search for a better output")
struct OutputMonitorTests {
    /// What a monitor asked and told, and a way to wait for it.
    private final class Probe: Sendable {
        struct Counts: Sendable, Equatable {
            var looks = 0
            var reselections = 0
        }
        private let counts = Mutex(Counts())
        private let changed = WakeSignal()
        let reachableFromLook: Int

        init(reachableFromLook: Int) { self.reachableFromLook = reachableFromLook }

        func look() -> Bool {
            let looks = counts.withLock {
                $0.looks += 1
                return $0.looks
            }
            changed.raise()
            return looks >= reachableFromLook
        }
        func reselect() {
            counts.withLock { $0.reselections += 1 }
            changed.raise()
        }
        var now: Counts { counts.withLock { $0 } }
        /// Waits without a limit of its own: a monitor that never looks hangs the test, which fails it.
        func wait(until condition: (Counts) -> Bool) {
            while !condition(now) { changed.wait() }
        }
    }

    @Test("it looks until the output is reachable, and then asks for it")
    func looks() {
        let probe = Probe(reachableFromLook: 3)
        let monitor = OutputMonitor(interval: 0.001, isReachable: probe.look, reselect: probe.reselect)
        monitor.look(true)
        probe.wait { $0.reselections >= 1 }
        #expect(probe.now.looks >= 3)
        monitor.stop()
    }

    @Test("once it is no longer wanted it does not look, until it is wanted again")
    func rests() {
        let probe = Probe(reachableFromLook: 1)
        let holder = Mutex<OutputMonitor?>(nil)
        let monitor = OutputMonitor(interval: 0.0001, isReachable: probe.look) {
            // What the player does when the better output has opened.
            holder.withLock { $0 }?.look(false)
            probe.reselect()
        }
        holder.withLock { $0 = monitor }
        for round in 1...200 {
            monitor.look(true)
            probe.wait { $0.reselections >= round }
        }
        #expect(probe.now == Probe.Counts(looks: 200, reselections: 200))
        monitor.stop()
        holder.withLock { $0 = nil }
    }
}
