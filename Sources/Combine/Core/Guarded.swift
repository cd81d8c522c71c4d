import Synchronization

/// State behind a lock, of types that nobody has declared Sendable: values, subscribers and functions of whoever uses publishers.
///
/// That they may go from one thread to another is the contract of publishers: one value at a time, and each to the one subscriber that it is for.
final class Guarded<State>: Sendable {
    /// `@unchecked Sendable`: it is in the mutex, or on its way out of it to one thread.
    private struct Unchecked<Value>: @unchecked Sendable { var value: Value }
    private let mutex: Mutex<Unchecked<State>>

    init(_ state: State) { mutex = Mutex(Unchecked(value: state)) }

    /// Reads or changes the state. Nothing that belongs to others is called, or destroyed, in `body`.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result { mutex.withLock { Unchecked(value: body(&$0.value)) }.value }

    /// Puts nil in the place of what was there.
    func take<Wrapped>() -> Wrapped? where State == Wrapped? {
        withLock { state in
            defer { state = nil }
            return state
        }
    }
}

/// Something on its way to another thread, which alone uses it from then on.
///
/// `@unchecked Sendable`: as with `Guarded`, by the contract of publishers and schedulers.
package struct HandedOver<Value>: @unchecked Sendable {
    package let value: Value
    package init(value: Value) { self.value = value }
}
