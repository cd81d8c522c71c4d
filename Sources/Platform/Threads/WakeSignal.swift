import CLinux
import Glibc
import Synchronization

/// A signal that wakes one waiting thread. If `raise` is called several times before a `wait`, the thread wakes once, and must look for all pending
/// work.
///
/// Writes to memory by a thread before `raise` are visible to the thread that returns from `wait`. `@unchecked Sendable`: the semaphore is used only
/// by thread-safe calls, and it exists as long as the `WakeSignal`.
public final class WakeSignal: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    /// Whether the signal is raised: from the `raise` that posts the semaphore until the `wait` that consumes the post. While the signal is raised,
    /// `raise` posts nothing, so the semaphore's count never exceeds one.
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

    /// Wakes the thread that waits for the signal, or makes the next `wait` return at once. Any thread may call `WakeSignal.raise`, also an audio
    /// thread: `raise` neither blocks nor allocates, and enters the kernel only if a thread waits.
    public func raise() {
        if !isRaised.exchange(true, ordering: .acquiringAndReleasing) { sem_post(semaphore) }
    }

    /// Blocks the thread until the `WakeSignal` is raised. Only one thread may wait for a `WakeSignal`.
    public func wait() {
        while sem_wait(semaphore) != 0 {}  // The system's function sem_wait fails only if a Unix signal interrupts it.
        _ = isRaised.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Blocks the thread until the `WakeSignal` is raised, at most until the host time `deadline`. Only one thread may wait for a `WakeSignal`.
    ///
    /// - Returns: true if `raise` was called; false if the deadline of the wait has passed.
    public func wait(until deadline: HostTime) -> Bool {
        let nanoseconds = max(0, MonotonicClock.systemTime(of: deadline).nanoseconds)
        var until = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while CLinux_waitMonotonic(semaphore, &until) != 0 {
            if errno == ETIMEDOUT { return false }
        }
        _ = isRaised.exchange(false, ordering: .acquiringAndReleasing)
        return true
    }
}
