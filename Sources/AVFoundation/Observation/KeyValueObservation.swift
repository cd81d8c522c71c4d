import Synchronization

/// The times at which an observer is called, and the values that each call includes (R-KVO-01, R-KVO-02, R-KVO-03). `NSKeyValueObservingOptions` is
/// defined here under its name in Apple's Foundation, because Foundation on Linux does not define it.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Each call of the observer includes the new value of the property.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// Each call of the observer includes the old value of the property.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is also called once with the current value of the property, before `observe` returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer is also called before each change of the property.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change of an observed property. All observable properties are single values, so the kind of a change is always `setting`.
public enum NSKeyValueChange: UInt, Sendable {
    case setting = 1, insertion, removal, replacement
}

/// A change of an observed property, with the values that the observer's options request (R-KVO-01).
public struct NSKeyValueObservedChange<Value> {
    public let kind: NSKeyValueChange
    /// The new value of the property; nil without the option `.new`, and in the call before a change.
    public let newValue: Value?
    /// The old value of the property; nil without the option `.old`, and in the initial call.
    public let oldValue: Value?
    /// Whether the observer is called before the change (option `.prior`).
    public let isPrior: Bool
}

/// The token of an observation. The observation ends when the token is released or invalidated (R-KVO-05). The token of an observation does not keep
/// the observed object alive.
public final class NSKeyValueObservation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>
    private let observer: Mutex<StateHub.Observer?>

    init(observer: StateHub.Observer, end: @escaping @Sendable () -> Void) {
        self.observer = Mutex(observer)
        self.end = Mutex(end)
    }

    /// Ends the observation: no call of the observer starts after `invalidate` has returned. A second call of `invalidate` has no effect. Any thread
    /// may call `invalidate`.
    public func invalidate() {
        let end = end.withLock { value in
            defer { value = nil }
            return value
        }
        end?()
        observer.withLock { $0 = nil }
    }

    deinit { invalidate() }
}

/// An object whose properties can be observed with `observe(_:options:changeHandler:)` and `values(for:)`.
@preconcurrency @MainActor public protocol KeyValueObserving: AnyObject, Sendable {}

extension KeyValueObserving {
    /// Observes a property: calls `changeHandler` on the main actor at each change of the property, after the property has its new value (R-KVO-04).
    ///
    /// Setting a property to an equal value is no change (R-KVO-07). The caller must keep the returned token, because its release ends the
    /// observation.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @MainActor (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        demandMainQueue()
        let observer = KeyPathObserver(object: self, keyPath: keyPath, options: options, handler: changeHandler)
        observer.begin()
        return NSKeyValueObservation(observer: observer, end: { [flag = observer.isEnded] in flag.raise() })
    }
}

/// A flag that can be raised, but not lowered, on any thread.
final class OneWayFlag: Sendable {
    private let value = Atomic<Bool>(false)
    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
}

/// The observation of one key path of one object.
private final class KeyPathObserver<Object: AnyObject, Value>: StateHub.Observer {
    private weak var object: Object?
    private let keyPath: KeyPath<Object, Value>
    private let options: NSKeyValueObservingOptions
    private let handler: @MainActor (Object, NSKeyValueObservedChange<Value>) -> Void
    private var last: Value
    let isEnded = OneWayFlag()

    init(
        object: Object, keyPath: KeyPath<Object, Value>, options: NSKeyValueObservingOptions,
        handler: @escaping @MainActor (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
        self.handler = handler
        last = object[keyPath: keyPath]
        super.init()
        last = StateHub.track(for: self) { object[keyPath: keyPath] }
    }

    func begin() {
        guard options.contains(.initial), let object else { return }
        handler(object, NSKeyValueObservedChange(kind: .setting, newValue: options.contains(.new) ? last : nil, oldValue: nil, isPrior: false))
    }

    override func willChange() {
        guard options.contains(.prior), !isEnded.isRaised, let object else { return }
        handler(object, NSKeyValueObservedChange(kind: .setting, newValue: nil, oldValue: options.contains(.old) ? last : nil, isPrior: true))
    }

    override func didChange() {
        guard !isEnded.isRaised, let object else { return }
        let old = last
        let new = StateHub.track(for: self) { object[keyPath: keyPath] }
        last = new
        if areEqual(old, new) == true { return }
        MainTurn.enqueue { [weak self, weak object] in
            guard let self, let object, !self.isEnded.isRaised else { return }
            handler(
                object,
                NSKeyValueObservedChange(
                    kind: .setting, newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil, isPrior: false))
        }
    }
}

/// Returns whether two values are equal; nil if their type is not Equatable.
private func areEqual<Value>(_ a: Value, _ b: Value) -> Bool? {
    func compare<E: Equatable>(_: E.Type) -> Bool? {
        guard let a = a as? E, let b = b as? E else { return nil }
        return a == b
    }
    guard let type = Value.self as? any Equatable.Type else { return nil }
    return compare(type)
}

extension KeyValueObserving {
    /// Returns the values of a property: the current value first, then the new value at each change of the property. A reader that is slower than the
    /// changes receives only the newest value.
    ///
    /// The stream of values ends when the reading task is cancelled or the stream is released. The stream of a property's values does not keep the
    /// observed object alive.
    public func values<Value: Sendable>(for keyPath: KeyPath<Self, Value>) -> AsyncStream<Value> {
        demandMainQueue()
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let token = observe(keyPath, options: [.initial, .new]) { _, change in
            if let value = change.newValue { continuation.yield(value) }
        }
        continuation.onTermination = { _ in token.invalidate() }
        return stream
    }
}
