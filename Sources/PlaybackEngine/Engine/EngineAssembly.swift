/// An engine and its feeder, connected, without a thread of their own: a host steps them.
///
/// `@unchecked Sendable`: `stepEngine` is called by one thread at a time, `stepFeeder` by one thread at a time, `close` when neither is being called any
/// more; everything that the two share is a mailbox or a queue with a lock of its own.
package final class EngineAssembly: @unchecked Sendable {
    private let engine: Engine
    private let feeder: Feeder
    /// What is heard.
    package let clock: PlaybackClock

    /// - Parameters:
    ///   - fadesIn: sound that begins elsewhere than at the start of an item fades in over 5 ms.
    ///   - makePitch: makes the renderer of a pitch algorithm for a format.
    ///   - wakeEngine, wakeFeeder: from any thread: a step has something to do.
    ///   - runOpen: runs an open that may block for long, on another thread or at once.
    ///   - events: told on the thread that steps the engine.
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
    /// Does what the engine has to do; false where there is nothing.
    package func stepEngine() -> Bool { engine.step() }
    /// Does one piece of the feeder's work; false where there is none.
    package func stepFeeder() -> Bool { feeder.step() }
    /// Makes whatever blocks in a reader or an opener return soon. Any thread.
    package func interruptReads() { feeder.interrupts.raiseAll() }
    /// Closes the device. Idempotent.
    package func close() {
        feeder.close()
        engine.close()
    }
}
