/// A running engine, for the player that owns it. Sendable: commands go through a mailbox.
public protocol EngineHandle: AnyObject, Sendable {
    /// Enqueues a command; never blocks.
    func post(_ command: EngineCommand)
    /// What is heard.
    var clock: PlaybackClock { get }
    /// Stops the threads and closes the device. Idempotent. Blocks until it is done, at most two seconds.
    func shutDown()
}
