/// An operation that can be ended early.
public protocol Cancellable {
    /// May be called again, without effect.
    func cancel()
}

extension Cancellable {
    /// Adds a token for this operation to `collection`, which keeps the operation alive.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }
    /// Adds a token for this operation to `set`, which keeps the operation alive.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }
}

/// A token that cancels an operation when the token is released, or earlier by `cancel`. Any thread.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
    private let action: Guarded<(() -> Void)?>

    /// `cancel` is called once.
    public init(_ cancel: @escaping () -> Void) { action = Guarded(cancel) }

    /// The token keeps `canceller` alive, and cancels it once.
    public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

    deinit { cancel() }

    public func cancel() { action.take()?() }

    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable { collection.append(self) }
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
