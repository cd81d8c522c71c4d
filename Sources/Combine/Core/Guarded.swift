import Synchronization

/// State that a lock protects. The protected values need not be Sendable: they are values, subscribers and functions of the users of publishers.
///
/// The protected values are safe without locks of their own: each subscriber receives one value at a time, so only one thread at a time uses a value
/// that has one receiver. A subject sends the same value to all its subscribers. If that value is an object, its users must synchronise it.
final class Guarded<State>: Sendable {
    /// `@unchecked Sendable`: the wrapped value is in the mutex, or in transit from the mutex to one thread.
    private struct Unchecked<Value>: @unchecked Sendable { var value: Value }
    private let mutex: Mutex<Unchecked<State>>

    init(_ state: State) { mutex = Mutex(Unchecked(value: state)) }

    /// Reads or changes the protected state. The closure `body` must neither call nor destroy an object of a publisher's user, because that object
    /// might need the same lock.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result { mutex.withLock { Unchecked(value: body(&$0.value)) }.value }

    /// Replaces the protected state by nil, and returns the former state.
    func take<Wrapped>() -> Wrapped? where State == Wrapped? {
        withLock { state in
            defer { state = nil }
            return state
        }
    }
}

/// A value in transit to another thread.
///
/// `@unchecked Sendable`: a publisher or scheduler does not use the value after the transfer. If a subject sends one object to several subscribers,
/// they must synchronise their use of the object (see `Guarded`).
package struct HandedOver<Value>: @unchecked Sendable {
    package let value: Value
    package init(value: Value) { self.value = value }
}
