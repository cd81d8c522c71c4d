/// Starts engines. In production an engine runs on threads; in tests the test steps it.
public protocol EngineHost: Sendable {
    /// `events` is called on the engine's thread.
    func start(opener: any MediaOpener, outputs: [any OutputProvider], events: @escaping @Sendable (EngineEvent) -> Void) -> any EngineHandle
}

/// A running engine. `Sendable`, because commands pass through a mailbox.
public protocol EngineHandle: AnyObject, Sendable {
    /// Never blocks.
    func post(_ command: EngineCommand)
    var clock: PlaybackClock { get }
    /// Idempotent. Returns after the threads have ended and the device is closed, at most two seconds later.
    func shutDown()
}
