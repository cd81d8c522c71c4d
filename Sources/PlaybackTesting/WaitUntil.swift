import Glibc
import Platform

/// For what another thread will do, in a loop that yields. False after a minute, so that one test fails and the others run; the limit judges nothing.
public func waitUntil(_ condition: () -> Bool) -> Bool {
    let clock = MonotonicClock(), end = clock.now + 60
    while !condition() {
        guard clock.now < end else { return false }
        sched_yield()
    }
    return true
}
