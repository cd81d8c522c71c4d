import Synchronization

/// State under a lock, which need not be Sendable: values, subscribers and functions of users. They are safe, because each subscriber receives one
/// value at a time; an object that a subject sends to several, its users must synchronise.
final class Guarded<State>: Sendable {
    /// `@unchecked Sendable`: in the mutex, or in transit from it to one thread.
    private struct Unchecked<Value>: @unchecked Sendable { var value: Value }
    private let mutex: Mutex<Unchecked<State>>

    init(_ state: State) { mutex = Mutex(Unchecked(value: state)) }

    /// `body` must neither call nor destroy a user's object, which might need the same lock.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result { mutex.withLock { Unchecked(value: body(&$0.value)) }.value }

    /// Leaves nil.
    func take<Wrapped>() -> Wrapped? where State == Wrapped? {
        withLock { state in
            defer { state = nil }
            return state
        }
    }
}

/// In transit to another thread.
///
/// `@unchecked Sendable`: a publisher or scheduler does not use it afterwards; an object sent to several subscribers, they must synchronise
/// (`Guarded`).
/// they must synchronise their use of the object (see `Guarded`).
package struct HandedOver<Value>: @unchecked Sendable {
    package let value: Value
    package init(value: Value) { self.value = value }
}
