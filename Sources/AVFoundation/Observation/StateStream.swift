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
