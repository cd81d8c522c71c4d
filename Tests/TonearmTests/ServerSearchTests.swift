import Platform
import PlaybackTesting
import Synchronization
import Testing

@testable import tonearm

@Suite("Search for a better output")
struct ServerSearchTests {
    /// The functions that a search calls. They count the calls, so that a test can wait for them.
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
        /// Waits until the counts fulfil a condition, without a time limit. If the search never makes the calls, the test never ends, and so fails.
        func wait(until condition: (Counts) -> Bool) {
            while !condition(now) { changed.wait() }
        }
    }

    @Test("the search polls until the output is reachable, and then requests it")
    func looks() {
        let probe = Probe(reachableFromLook: 3)
        let search = ServerSearch(interval: 0.001, isReachable: probe.look, reselect: probe.reselect)
        search.setSearching(true)
        probe.wait { $0.reselections >= 1 }
        #expect(probe.now.looks >= 3)
        search.stop()
    }

    @Test("the search does not poll after it was switched off, until it is switched on again")
    func rests() {
        let probe = Probe(reachableFromLook: 1)
        let holder = Mutex<ServerSearch?>(nil)
        let search = ServerSearch(interval: 0.0001, isReachable: probe.look) {
            // The recovery switches the search off after the better output was opened. The test does the same here.
            holder.withLock { $0 }?.setSearching(false)
            probe.reselect()
        }
        holder.withLock { $0 = search }
        for round in 1...200 {
            search.setSearching(true)
            probe.wait { $0.reselections >= round }
        }
        #expect(probe.now == Probe.Counts(looks: 200, reselections: 200))
        search.stop()
        holder.withLock { $0 = nil }
    }
}
