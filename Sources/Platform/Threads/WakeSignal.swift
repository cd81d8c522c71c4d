import CLinux
import Glibc
import Synchronization

/// Wakes one waiting thread; several calls of `raise` before a `wait` wake it once. Writes before `raise` are visible after `wait`.
///
/// `@unchecked Sendable`: the semaphore is used only by thread-safe calls, and lives as long as the signal.
public final class WakeSignal: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    /// True from the `raise` that posts the semaphore until the `wait` that consumes the post, so the semaphore's count never exceeds one.
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

    /// Wakes the waiting thread. Any thread may call `raise`, also an audio thread: it neither blocks nor allocates, and enters the kernel only if a
    /// thread waits.
    public func raise() {
        if !isRaised.exchange(true, ordering: .acquiringAndReleasing) { sem_post(semaphore) }
    }

    /// Waits for the next `raise`; returns at once if it came before. Called by one thread only.
    public func wait() {
        while sem_wait(semaphore) != 0 {}  // The system's function sem_wait fails only if a Unix signal interrupts it.
        _ = isRaised.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Waits like `wait()`, but returns false when the deadline has passed. Called by one thread only.
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
