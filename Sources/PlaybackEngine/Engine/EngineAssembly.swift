package import Platform

/// An engine and its feeder, connected. They have no threads here: a host calls `stepEngine` and `stepFeeder`.
///
/// `@unchecked Sendable`: `stepEngine` is called by one thread at a time, and `stepFeeder` by one thread at a time. `close` is called after all calls
/// of both. The engine and the feeder share only mailboxes and queues, which have their own locks.
package final class EngineAssembly: @unchecked Sendable {
    private let engine: Engine
    private let feeder: Feeder
    /// The clock that returns the position heard at a host time.
    package let clock: PlaybackClock

    /// - Parameters:
    ///   - fadesIn: whether audio that begins inside an item fades in over 5 ms.
    ///   - makePitch: makes the stretcher of a pitch algorithm for a format.
    ///   - wakeEngine, wakeFeeder: called on any thread if `stepEngine` or `stepFeeder` has work.
    ///   - runOpen: runs an opening of media, which may block for long, on another thread or at once.
    ///   - events: called on the thread that steps the engine.
    package init(
        opener: any MediaOpener, outputs: [any OutputProvider], hostClock: any HostClock, fadesIn: Bool = true,
        makePitch: @escaping (PitchAlgorithm, AudioFormat) -> any TimePitch, wakeEngine: @escaping @Sendable () -> Void,
        wakeFeeder: @escaping @Sendable () -> Void, runOpen: @escaping (Opening) -> Void,
        events: @escaping (EngineEvent) -> Void
    ) {
        let notices = Mailbox<FeederNotice>(wake: wakeEngine)
        feeder = Feeder(opener: opener, wake: wakeFeeder, runOpen: runOpen, notify: { notices.post($0) }, wakeEngine: wakeEngine)
        engine = Engine(
            outputs: outputs, clock: hostClock, fadesIn: fadesIn, reading: ReadAhead(feeder, notices: notices, wakeFeeder: wakeFeeder),
            wake: wakeEngine, makePitch: makePitch, emit: events)
        clock = engine.timeline.clock
        mailbox = engine.mailbox
    }

    private let mailbox: Mailbox<EngineCommand>

    /// Enqueues a command. Any thread.
    package func post(_ command: EngineCommand) { mailbox.post(command) }
    /// Performs one step of the engine. Returns false if there was nothing to do.
    package func stepEngine() -> Bool { engine.step() }
    /// Performs one step of the feeder. Returns false if there was nothing to do.
    package func stepFeeder() -> Bool { feeder.step() }
    /// Interrupts the blocking calls of readers and of the opener. They then return soon. Any thread may call this.
    package func interruptReads() { feeder.interrupts.raiseAll() }
    /// Discards all items and closes the device. Idempotent.
    package func close() {
        feeder.close()
        engine.close()
    }
}
