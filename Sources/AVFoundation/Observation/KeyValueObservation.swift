import Combine
import Synchronization

/// When an observer is called, and with which values (R-KVO-01…03). Foundation on Linux does not define Apple's type.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Each call has the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// Each call has the old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is also called once with the current value, before `observe` returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer is also called before each change.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change: always `setting`, because all observable properties are single values.
public enum NSKeyValueChange: UInt, Sendable {
    case setting = 1, insertion, removal, replacement
}

/// A change, with the values that the options request (R-KVO-01).
public struct NSKeyValueObservedChange<Value> {
    public let kind: NSKeyValueChange
    /// Nil without the option `.new`, and in a call before a change.
    public let newValue: Value?
    /// Nil without the option `.old`, and in the initial call.
    public let oldValue: Value?
    /// True for a call before the change (`.prior`).
    public let isPrior: Bool
}

/// An observation, which ends when it is released or invalidated (R-KVO-05), and does not keep the object alive.
public final class NSKeyValueObservation: Sendable {
    private let observer: Mutex<StateHub.Observer?>

    init(observer: StateHub.Observer) { self.observer = Mutex(observer) }

    /// Ends the observation: no call of the observer starts afterwards, apart from one that another thread is just about to start. May be called
    /// again, and on any thread.
    public func invalidate() {
        let former = observer.withLock { value in
            defer { value = nil }
            return value
        }
        // Released outside the mutex: the handler may be the last owner of an object whose `deinit` ends this observation again.
        former?.isEnded.raise()
    }

    deinit { invalidate() }
}

/// An object whose properties can be observed with `observe(_:options:changeHandler:)` and `values(for:)`.
public protocol KeyValueObserving: AnyObject, Sendable {}

extension KeyValueObserving {
    /// Calls `changeHandler` after each change: on the thread that makes it, before the call that makes it returns; for the player's own changes on the
    /// main queue (R-KVO-04). Calls of one handler never overlap, apart from those before a change (`.prior`), which are made under the players' lock
    /// and must not wait for another thread. An equal value is no change, except that a request of the program notifies what it sets (R-KVO-07). The
    /// release of the returned object ends the observation.
    @preconcurrency public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        observation(of: { $0[keyPath: keyPath] }, options, seesEqualValues: true, changeHandler)
    }

    /// Observes the properties that `read` reads.
    func observation<Value>(
        of read: @escaping (Self) -> Value, _ options: NSKeyValueObservingOptions, seesEqualValues: Bool,
        _ handler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observer = ValueObserver(read: read, options: options, seesEqualValues: seesEqualValues, handler: handler)
        Turn.perform { observer.begin(self) }
        observer.deliverInitial()
        return NSKeyValueObservation(observer: observer)
    }

    /// Does the same as `observe` for an object that is changed only on the main actor; a change on another thread traps. Equal values are never
    /// notified.
    package func observeOnMain<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @MainActor (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        observation(of: { $0[keyPath: keyPath] }, options, seesEqualValues: false) { object, change in
            let change = HandedOver(value: change)
            MainActor.assumeIsolated { changeHandler(object, change.value) }
        }
    }
}

/// A flag that is raised, but not lowered, on any thread.
final class OneWayFlag: Sendable {
    private let value = Atomic<Bool>(false)
    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
}

private final class ValueObserver<Object: KeyValueObserving, Value>: StateHub.Observer {
    /// Reads the observed value by a key path or by names. Key paths are immutable, but not Sendable, because they may capture a subscript's arguments.
    private nonisolated let read: HandedOver<(Object) -> Value>
    private nonisolated let options: NSKeyValueObservingOptions
    private nonisolated let seesEqualValues: Bool
    private nonisolated let handler: @Sendable (Object, NSKeyValueObservedChange<Value>) -> Void

    private weak var object: Object?
    /// Nil before the observation begins.
    private var last: Value?
    /// The changes in order, of which `inbox[..<taken]` have been taken out, because their values must not be released under the lock.
    private var inbox: [(number: Int, isEqual: Bool, change: NSKeyValueObservedChange<Value>?)] = []
    private var taken = 0
    private var lastNumber = 0
    /// The number of the change up to which the thread that is in the handler delivers; nil if no thread is.
    private var limit: Int?
    /// Whether the handler is called for an equal value. What it then sets again is not notified, so that a handler that repeats a request ends.
    private var isRepeating = false

    nonisolated init(
        read: @escaping (Object) -> Value, options: NSKeyValueObservingOptions, seesEqualValues: Bool,
        handler: @escaping @Sendable (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.read = HandedOver(value: read)
        self.options = options
        self.seesEqualValues = seesEqualValues
        self.handler = handler
        super.init()
    }

    func begin(_ object: Object) {
        self.object = object
        let value = StateHub.track(for: self) { read.value(object) }
        last = value
        guard options.contains(.initial) else { return }
        add(NSKeyValueObservedChange(kind: .setting, newValue: options.contains(.new) ? value : nil, oldValue: nil, isPrior: false))
        // From now on, other threads leave their changes to this one, which delivers the initial call before `observe` returns.
        limit = lastNumber
    }

    /// Delivers the initial call, and what has changed meanwhile.
    nonisolated func deliverInitial() { if options.contains(.initial) { deliverAll() } }

    override func willChange() {
        guard options.contains(.prior), !isEnded.isRaised, let object else { return }
        handler(object, NSKeyValueObservedChange(kind: .setting, newValue: nil, oldValue: options.contains(.old) ? last : nil, isPrior: true))
    }

    override func didChange() {
        guard !isEnded.isRaised, let object, let old = last else { return }
        // Values may be objects of the program, and these the last references.
        Turn.keep(HandedOver(value: (object, old)))
        let new = StateHub.track(for: self) { read.value(object) }
        last = new
        if areEqual(old, new) == true { return }
        report(from: old, to: new)
    }

    override func wasSetAgain() {
        guard seesEqualValues, !isRepeating, !isEnded.isRaised, let last else { return }
        willChange()
        report(from: last, to: last, isEqual: true)
    }

    private func report(from old: Value, to new: Value, isEqual: Bool = false) {
        add(
            NSKeyValueObservedChange(
                kind: .setting, newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil, isPrior: false),
            isEqual: isEqual)
        Turn.enqueue { [weak self, lastNumber] in self?.deliver(upTo: lastNumber) }
    }

    private func add(_ change: NSKeyValueObservedChange<Value>, isEqual: Bool = false) {
        lastNumber += 1
        inbox.append((lastNumber, isEqual, change))
    }

    /// Delivers the changes up to a number, older ones of other threads included. If a thread is in the handler, it delivers them.
    private nonisolated func deliver(upTo number: Int) {
        if Turn.perform({ claim(upTo: number) }) { deliverAll() }
    }

    private nonisolated func deliverAll() {
        while let next = Turn.perform({ next() }) { handler(next.value.0, next.value.1) }
    }

    /// Returns whether no other thread delivers.
    private func claim(upTo number: Int) -> Bool {
        defer { limit = max(limit ?? 0, number) }
        return limit == nil
    }

    /// The next change to be delivered; nil after the last one.
    private func next() -> HandedOver<(Object, NSKeyValueObservedChange<Value>)>? {
        guard let object, !isEnded.isRaised, let limit, taken < inbox.count, inbox[taken].number <= limit,
            let change = inbox[taken].change.take()
        else {
            (limit, isRepeating) = (nil, false)
            if taken == inbox.count { (inbox, taken) = ([], 0) }
            return nil
        }
        isRepeating = inbox[taken].isEqual
        taken += 1
        return HandedOver(value: (object, change))
    }
}

/// Whether the values are equal; nil if the type is not Equatable.
private func areEqual<Value>(_ a: Value, _ b: Value) -> Bool? {
    func compare<E: Equatable>(_: E.Type) -> Bool? {
        guard let a = a as? E, let b = b as? E else { return nil }
        return a == b
    }
    guard let type = Value.self as? any Equatable.Type else { return nil }
    return compare(type)
}

extension KeyValueObserving {
    /// A stream of the current value, then the new one at each change; a slower reader gets only the newest. It ends when the task is cancelled or
    /// the stream is released, and does not keep the object alive.
    public func values<Value: Sendable>(for keyPath: KeyPath<Self, Value>) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let token = observation(of: { $0[keyPath: keyPath] }, [.initial, .new], seesEqualValues: false) { _, change in
            if let value = change.newValue { continuation.yield(value) }
        }
        continuation.onTermination = { _ in token.invalidate() }
        return stream
    }
}
