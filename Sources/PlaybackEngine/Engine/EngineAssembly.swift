package import Platform

/// An engine and its feeder, connected, without threads of their own: a host steps them.
///
/// `@unchecked Sendable`: `stepEngine` is called by one thread at a time, and so is `stepFeeder`. `close` is called after the last of these calls.
/// The engine and the feeder share only mailboxes and queues, which have their own locks.
package final class EngineAssembly: @unchecked Sendable {
    private let engine: Engine
    private let feeder: Feeder
    /// The clock that returns the position heard at a host time.
    package let clock: PlaybackClock

    /// - Parameters:
    ///   - fadesIn: whether audio that begins inside an item fades in over 5 ms.
    ///   - makePitch: makes the stretcher of a pitch algorithm for a format.
    ///   - wakeEngine, wakeFeeder: called on any thread when a step has something to do.
    ///   - runOpen: runs an open that may block for long, on another thread or at once.
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
    /// Interrupts the blocking calls of readers and of the opener, which then return soon. Any thread.
    package func interruptReads() { feeder.interrupts.raiseAll() }
    /// Closes the device. Idempotent.
    package func close() {
        feeder.close()
        engine.close()
    }
}
