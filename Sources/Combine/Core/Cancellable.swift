/// An operation that can be ended early.
public protocol Cancellable {
    /// Ends the operation. A second call of `cancel` has no effect.
    func cancel()
}

extension Cancellable {
    /// Stores the cancellable operation in a collection, which keeps the operation alive.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }
    /// Stores the cancellable operation in a set, which keeps the operation alive.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }
}

/// A token that cancels an operation when the token is released, or earlier if `cancel` is called. Any thread may use the token.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
    private let action: Guarded<(() -> Void)?>

    /// Makes a token that calls the function `cancel` once, when the token is cancelled or released.
    public init(_ cancel: @escaping () -> Void) { action = Guarded(cancel) }

    /// Makes a token that cancels `canceller` once, and keeps `canceller` alive until the cancellation.
    public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

    deinit { cancel() }

    public func cancel() { action.take()?() }

    /// Stores the cancellation token in a collection.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable { collection.append(self) }
    /// Stores the cancellation token in a set.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
