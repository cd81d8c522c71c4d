#if THREAD_SANITIZER
import Glibc

/// Stands in for `Synchronization.Mutex` where ThreadSanitizer watches. The standard one hands over through a futex inside a library that is not
/// instrumented, so the sanitizer takes every contended hand-over for a race; a pthread mutex it knows. Same interface, same meaning.
///
/// Every module that locks compiles this file (the others link to it): a type of the module's own comes before an imported one.
struct Mutex<Value: ~Copyable>: ~Copyable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming sending Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, E: Error>(_ body: (inout sending Value) throws(E) -> sending Result) throws(E) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}

/// `@unchecked Sendable`: the value is reached only under the lock.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}
#endif
