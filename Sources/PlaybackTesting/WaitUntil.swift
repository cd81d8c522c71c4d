import Glibc
import PlaybackEngine

/// Waits for what another thread brings about, and looks again whenever this one has its turn.
/// - Returns: false if it has not come within ten seconds: a test that waits in vain then fails instead of the run.
public func waitUntil(_ condition: () -> Bool) -> Bool {
    let clock = MonotonicClock(), end = clock.now + 10
    while !condition() {
        guard clock.now < end else { return false }
        sched_yield()
    }
    return true
}
