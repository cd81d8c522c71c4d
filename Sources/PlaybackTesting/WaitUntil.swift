import Glibc
import Platform

/// Waits for a condition that another thread will meet. The condition is checked in a loop that yields to other threads.
/// - Returns: True if the condition was met; false after a minute, so that one test fails and the other tests run. The limit judges nothing.
public func waitUntil(_ condition: () -> Bool) -> Bool {
    let clock = MonotonicClock(), end = clock.now + 60
    while !condition() {
        guard clock.now < end else { return false }
        sched_yield()
    }
    return true
}
