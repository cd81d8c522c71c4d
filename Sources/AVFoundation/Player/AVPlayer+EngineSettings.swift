import PlaybackEngine

extension AVPlayer {
    /// Returns the value of an observable setting that Apple's API does not have.
    func setting<Value>(_ key: StateKey, _ path: KeyPath<EngineSettings, Value>) -> Value {
        hub.access(key)
        return engine.settings[keyPath: path]
    }

    /// Sets an observable engine setting that Apple's API does not have, and notifies the observers of `key`. Does nothing if the setting already has
    /// the value.
    func change<Value: Equatable>(_ key: StateKey, _ path: WritableKeyPath<EngineSettings, Value>, to new: Value) {
        demandMainQueue()
        guard new != engine.settings[keyPath: path] else { return }
        configure(key) { $0[keyPath: path] = new }
    }
}
