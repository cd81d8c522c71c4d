import Glibc
import Platform

/// Waits for a condition that another thread will meet. It is checked in a loop that yields to other threads.
/// - Returns: false after ten seconds, so that the test fails instead of the whole run.
public func waitUntil(_ condition: () -> Bool) -> Bool {
    let clock = MonotonicClock(), end = clock.now + 10
    while !condition() {
        guard clock.now < end else { return false }
        sched_yield()
    }
    return true
}
