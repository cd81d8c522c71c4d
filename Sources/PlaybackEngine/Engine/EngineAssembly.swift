package import Platform

/// An engine and its feeder, connected, without threads of their own.
///
/// `@unchecked Sendable`: `stepEngine` and `stepFeeder` are each called by one thread at a time, and `close` after their last calls. Engine and
/// feeder share only mailboxes and the write ends of tapes, which have locks.
package final class EngineAssembly: @unchecked Sendable {
    private let engine: Engine
    private let feeder: Feeder
    package let clock: HeardClock

    /// - Parameters:
    ///   - fadesCuts: whether cuts in the audio are faded. False for offline rendering, where no listener hears the cuts.
    ///   - wakeEngine, wakeFeeder: the functions that are called, on any thread, when a step has work.
    ///   - runOpen: the function that runs a job which opens a medium and may block for long.
    ///   - events: the receiver of the engine's events, called on the thread that steps the engine.
    package init(
        opener: any MediaOpener, output: (any OutputProvider)?, hostClock: any HostClock, fadesCuts: Bool = true,
        makePitch: @escaping (PitchAlgorithm, AudioFormat) -> any TimePitch, wakeEngine: @escaping @Sendable () -> Void,
        wakeFeeder: @escaping @Sendable () -> Void, runOpen: @escaping (Opening) -> Void,
        events: @escaping (EngineEvent) -> Void
    ) {
        let notices = Mailbox<FeederNotice>(wake: wakeEngine)
        feeder = Feeder(opener: opener, wake: wakeFeeder, runOpen: runOpen, notify: { notices.post($0) }, wakeEngine: wakeEngine)
        engine = Engine(
            output: output, clock: hostClock, fadesCuts: fadesCuts, orders: FeedOrders(feeder, notices: notices, wakeFeeder: wakeFeeder),
            wake: wakeEngine, makePitch: makePitch, emit: events)
        clock = engine.timeline.clock
        mailbox = engine.mailbox
    }

    private let mailbox: Mailbox<EngineCommand>

    /// Sends a command to the engine. May be called on any thread.
    package func post(_ command: EngineCommand) { mailbox.post(command) }
    /// Steps the engine. Returns false if there was nothing to do.
    package func stepEngine() -> Bool { engine.step() }
    /// Steps the feeder. Returns false if there was nothing to do.
    package func stepFeeder() -> Bool { feeder.step() }
    /// Makes blocking calls of readers and of the opener return soon. May be called on any thread.
    package func interruptReads() { feeder.interrupts.raiseAll() }
    /// Closes the feeder's readers and the device. Further calls have no effect.
    package func close() {
        feeder.close()
        engine.close()
    }
}
