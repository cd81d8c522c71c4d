import Glibc
import Synchronization

/// A lock that its owner may take again. Only for code whose public functions call each other; everything else uses `Mutex`, which protects its value.
///
/// `@unchecked Sendable`: the pointer is constant, and only the owner of the lock uses `depth`.
public final class RecursiveLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The thread that holds the lock; 0 if none does.
    private let owner = Atomic<UInt>(0)
    /// How often the owner has taken the lock. Only the owner may read it.
    public private(set) var depth = 0

    public init() {
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    public func lock() {
        pthread_mutex_lock(mutex)
        depth += 1
        if depth == 1 { owner.store(Self.thread, ordering: .relaxed) }
    }

    public func unlock() {
        depth -= 1
        if depth == 0 { owner.store(0, ordering: .relaxed) }
        pthread_mutex_unlock(mutex)
    }

    /// Whether the calling thread holds the lock.
    public var isHeld: Bool { owner.load(ordering: .relaxed) == Self.thread }

    /// The number of the calling thread.
    public static var thread: UInt { UInt(pthread_self()) }
}
