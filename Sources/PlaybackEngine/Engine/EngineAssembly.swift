package import Platform

/// An engine and its feeder, connected. An assembly has no threads of its own: a host calls `stepEngine` and `stepFeeder`.
///
/// `@unchecked Sendable`: `stepEngine` is called by one thread at a time, and `stepFeeder` by one thread at a time. `close` is called after the last
/// call of `stepEngine` and of `stepFeeder`. The engine and the feeder share only mailboxes and queues, which have their own locks.
package final class EngineAssembly: @unchecked Sendable {
    private let engine: Engine
    private let feeder: Feeder
    /// The clock that returns the media position heard at a host time.
    package let clock: PlaybackClock

    /// - Parameters:
    ///   - fadesIn: whether cuts in the audio are faded. False for offline rendering, because no listener hears the cuts.
    ///   - makePitch: the function that makes the stretcher for a pitch algorithm and a format.
    ///   - wakeEngine, wakeFeeder: the functions that are called, on any thread, when `stepEngine` or `stepFeeder` has work.
    ///   - runOpen: the function that runs a job which opens a medium, on another thread or at once. The job may block for long.
    ///   - events: the receiver of the engine's events, called on the thread that steps the engine.
    package init(
        opener: any MediaOpener, outputs: [any OutputProvider], hostClock: any HostClock, fadesIn: Bool = true,
        makePitch: @escaping (PitchAlgorithm, AudioFormat) -> any TimePitch, wakeEngine: @escaping @Sendable () -> Void,
        wakeFeeder: @escaping @Sendable () -> Void, runOpen: @escaping (Opening) -> Void,
        events: @escaping (EngineEvent) -> Void
    ) {
        let notices = Mailbox<FeederNotice>(wake: wakeEngine)
        feeder = Feeder(opener: opener, wake: wakeFeeder, runOpen: runOpen, notify: { notices.post($0) }, wakeEngine: wakeEngine)
        engine = Engine(
            outputs: outputs, clock: hostClock, fadesIn: fadesIn, reading: FeedOrders(feeder, notices: notices, wakeFeeder: wakeFeeder),
            wake: wakeEngine, makePitch: makePitch, emit: events)
        clock = engine.timeline.clock
        mailbox = engine.mailbox
    }

    private let mailbox: Mailbox<EngineCommand>

    /// Enqueues a command for the engine. Any thread may call `post`.
    package func post(_ command: EngineCommand) { mailbox.post(command) }
    /// Performs one step of the engine. Returns false if the engine had nothing to do.
    package func stepEngine() -> Bool { engine.step() }
    /// Performs one step of the feeder. Returns false if the feeder had nothing to do.
    package func stepFeeder() -> Bool { feeder.step() }
    /// Interrupts the blocking calls of media readers and of the opener, so that these calls return soon. Any thread may call `interruptReads`.
    package func interruptReads() { feeder.interrupts.raiseAll() }
    /// Discards all items and closes the device. `close` is idempotent.
    package func close() {
        feeder.close()
        engine.close()
    }
}
