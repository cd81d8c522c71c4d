extension KeyValueObserving {
    /// Returns the values of a property: the current one first, then every change. A reader that is slower than the changes receives the newest
    /// value.
    ///
    /// The stream ends when the reading task is cancelled or the stream is released. It does not keep the object alive.
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
