import CLinux
import Glibc
import Synchronization

/// Wakes one waiting thread. Raising it many times before it is waited for wakes once: look at all there is to do after waking.
///
/// What a thread did before `raise` is visible to the thread that `wait` lets go. `@unchecked Sendable`: the semaphore is only ever touched by
/// calls that may run at the same time on any thread, and lives as long as this object.
public final class WakeSignal: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    /// True from the `raise` that posted the semaphore until the `wait` that takes it, so its count never exceeds one.
    private let isRaised = Atomic(false)

    public init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Wakes the waiting thread, or lets the next `wait` return at once. Any thread, the audio thread too: it neither blocks nor allocates, and
    /// enters the kernel only where somebody sleeps.
    public func raise() {
        if !isRaised.exchange(true, ordering: .acquiringAndReleasing) { sem_post(semaphore) }
    }

    /// Sleeps until raised. One thread waits.
    public func wait() {
        while sem_wait(semaphore) != 0 {}  // only ever interrupted
        _ = isRaised.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Sleeps until raised, at most until `deadline`. One thread waits.
    ///
    /// - Returns: whether it was raised.
    public func wait(until deadline: HostTime) -> Bool {
        let nanoseconds = max(0, deadline.nanoseconds)
        var until = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while CLinux_waitMonotonic(semaphore, &until) != 0 {
            if errno == ETIMEDOUT { return false }
        }
        _ = isRaised.exchange(false, ordering: .acquiringAndReleasing)
        return true
    }
}
