public import Combine
import Synchronization

extension KeyValueObserving {
    /// Sends the current value at subscription, then the new one at each change (R-COMB-01), on the thread of `observe`'s handler, without
    /// completion. A subscriber without demand gets the newest value later.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValueObservingPublisher<Self, Value> {
        KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
}

/// The values of one property of one object.
public struct KeyValueObservingPublisher<Subject: KeyValueObserving, Value>: Publisher {
    public typealias Output = Value
    public typealias Failure = Never
    public let object: Subject
    public let keyPath: KeyPath<Subject, Value>
    /// The options: `.initial` sends the current value first, `.prior` the old value before each change.
    public let options: NSKeyValueObservingOptions

    public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
    }

    /// Sends the current value before the return.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
        let token = TokenHolder()
        let outlet = Outlet(to: subscriber, surplus: .newest, whenEnded: { token.end() })
        outlet.begin()
        let observed = HandedOver(value: keyPath)
        token.hold(
            object.observe(keyPath, options: options.union(.new)) { [weak outlet] object, change in
                outlet?.send(change.newValue ?? object[keyPath: observed.value])
            })
    }
}

/// The token of an observation, whose subscription may be cancelled during the initial call.
private final class TokenHolder: Sendable {
    private let state = Mutex<(token: NSKeyValueObservation?, isEnded: Bool)>((nil, false))

    func hold(_ token: NSKeyValueObservation) {
        let isTooLate = state.withLock { state in
            if !state.isEnded { state.token = token }
            return state.isEnded
        }
        if isTooLate { token.invalidate() }
    }

    func end() {
        let token = state.withLock { state in
            state.isEnded = true
            defer { state.token = nil }
            return state.token
        }
        token?.invalidate()
    }
}
