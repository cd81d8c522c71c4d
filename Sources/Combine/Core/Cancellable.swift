/// Something that can be ended before it ends by itself.
public protocol Cancellable {
    /// Ends it. Idempotent.
    func cancel()
}

extension Cancellable {
    /// Keeps it alive in a collection.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }
    /// Keeps it alive in a set.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }
}

/// Cancels something when it is dropped, or before. Callable from any thread.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
    private let action: Guarded<(() -> Void)?>

    /// Calls `cancel` once.
    public init(_ cancel: @escaping () -> Void) { action = Guarded(cancel) }

    /// Cancels `canceller` once, and keeps it alive until then.
    public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

    deinit { cancel() }

    public func cancel() { action.take()?() }

    /// Keeps this very token in a collection.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable { collection.append(self) }
    /// Keeps this very token in a set.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
