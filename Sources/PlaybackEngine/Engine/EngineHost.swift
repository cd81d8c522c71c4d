/// Starts engines. In production an engine runs on threads; in tests the test steps it.
public protocol EngineHost: Sendable {
    /// Starts an engine. The closure `events` receives each event on the engine's thread, in the order of the events.
    func start(opener: any MediaOpener, outputs: [any OutputProvider], events: @escaping @Sendable (EngineEvent) -> Void) -> any EngineHandle
}

/// A running engine, used by the player that owns it. A handle is `Sendable`, because commands pass through a mailbox.
public protocol EngineHandle: AnyObject, Sendable {
    /// Enqueues a command for the engine; never blocks.
    func post(_ command: EngineCommand)
    /// The clock that returns the media position heard at a host time.
    var clock: PlaybackClock { get }
    /// Stops the engine's threads and closes the device. `shutDown` is idempotent. `shutDown` returns after the threads have ended and the device is
    /// closed, at most two seconds later.
    func shutDown()
}
