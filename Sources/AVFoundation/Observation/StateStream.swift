extension KeyValueObserving {
    /// The values of a property: the present one first, then every change. A reader that is slower than the changes gets the newest.
    ///
    /// It ends when the task that reads it is cancelled, or when the stream is dropped; it does not keep the object alive.
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
