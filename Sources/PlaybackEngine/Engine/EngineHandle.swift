/// A running engine, used by the player that owns it. Sendable, because commands pass through a mailbox.
public protocol EngineHandle: AnyObject, Sendable {
    /// Enqueues a command; never blocks.
    func post(_ command: EngineCommand)
    /// The clock that returns the position heard at a host time.
    var clock: PlaybackClock { get }
    /// Stops the threads and closes the device. Idempotent. Returns after both, at most two seconds later.
    func shutDown()
}
