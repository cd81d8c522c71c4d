/// An operation that can be ended early.
public protocol Cancellable {
    /// Idempotent.
    func cancel()
}

extension Cancellable {
    /// Keeps it alive.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }
    /// Keeps it alive.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }
}

/// Cancels when it is released, or earlier by `cancel`. Any thread.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
    private let action: Guarded<(() -> Void)?>

    /// Called once.
    public init(_ cancel: @escaping () -> Void) { action = Guarded(cancel) }

    /// Once; kept alive until then.
    public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

    deinit { cancel() }

    public func cancel() { action.take()?() }

    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable { collection.append(self) }
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
