import PlaybackEngine

extension AVPlayer {
    /// Returns the value of an observable setting that Apple's API does not have.
    func setting<Value>(_ key: StateKey, _ path: KeyPath<EngineSettings, Value>) -> Value {
        hub.access(key)
        return engine.settings[keyPath: path]
    }

    /// Changes such a setting, if the value is another one.
    func change<Value: Equatable>(_ key: StateKey, _ path: WritableKeyPath<EngineSettings, Value>, to new: Value) {
        demandMainQueue()
        guard new != engine.settings[keyPath: path] else { return }
        configure(key) { $0[keyPath: path] = new }
    }
}
