import Combine
import Dispatch
import Foundation
import Platform

/// The isolation of the state of all players, items, loopers, outputs and sessions: one lock, which is entered synchronously on any thread
/// (Documentation/Decisions/AnyThread.md).
///
/// A turn is one operation: the code of one outermost `perform`. A change applies at once. Observers are notified when the turn has ended and the
/// lock is free, before `perform` returns or, for what belongs to the main queue, there. If an observer causes another change, all observers of the
/// first change are notified before those of the second, so the last value that an observer gets is the newest; with Apple's nested calls it may not
/// be. The order of the turns of all threads is the order in which they got the lock.
///
/// Nothing waits for another thread inside a turn.
@globalActor actor Turn {
    static let shared = Turn()
    static let lock = RecursiveLock()
    private static let outbox = Outbox()
    nonisolated var unownedExecutor: UnownedSerialExecutor { TurnExecutor.shared.asUnownedSerialExecutor() }

    /// Performs an operation in a turn, or as part of the turn that this thread is in. At the end of the turn, notifications are delivered, also
    /// those that are enqueued meanwhile.
    nonisolated static func perform<Result, Failure: Error>(_ operation: @Turn () throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { if lock.depth == 1, outbox.hasWork { outbox.endTurn() } else { lock.unlock() } }
        return try withoutActuallyEscaping(operation) { operation throws(Failure) in
            // The lock is held, which is what `@Turn` means. As in `MainActor.assumeIsolated`, only the isolation is taken from the type.
            try unsafeBitCast(operation, to: (() throws(Failure) -> Result).self)()
        }
    }

    /// Whether this turn is on the main queue.
    @Turn static var isOnMain: Bool { outbox.isOnMain() }

    /// Enqueues the notification of a change, for the thread that made it, or for the main queue if it is a change of the player's own.
    ///
    /// `@Sendable` keeps the closure out of this actor: it runs without the lock, and cannot use the state without a turn of its own.
    @Turn static func enqueue(_ delivery: @escaping @Sendable () -> Void) { outbox.add(delivery) }

    /// Enqueues a notification for the main queue: at the end of the turn if it is on the main queue, otherwise soon.
    @Turn static func enqueueOnMain(_ delivery: @escaping @MainActor @Sendable () -> Void) {
        outbox.addOnMain { MainActor.assumeIsolated(delivery) }
    }

    /// Enqueues a notification for the notification centre, which is posted on the main queue.
    @Turn static func post(_ name: Notification.Name, from object: any AnyObject & Sendable, _ userInfo: [AnyHashable: Any]?) {
        let userInfo = HandedOver(value: userInfo)
        enqueueOnMain { NotificationCenter.default.post(name: name, object: object, userInfo: userInfo.value) }
    }

    /// Makes changes of the player's own, such as the end of an item, which observers get on the main queue, whichever thread has noticed them.
    @Turn static func asOwnChange<Result>(_ body: () -> Result) -> Result {
        let former = outbox.isOwnChange
        outbox.isOwnChange = true
        defer { outbox.isOwnChange = former }
        return body()
    }

    /// Sets the scheduler by which a turn on another thread than the main thread wakes the main queue; by default that of Dispatch.
    @Turn static func wakeMain(by scheduler: any MainScheduler) { outbox.waker = scheduler }

    /// Keeps a value until the turn has ended, so that a `deinit` of the program does not run under the lock.
    @Turn static func keep(_ value: some Sendable) {
        enqueue { withExtendedLifetime(value) {} }
    }

    /// Calls `body` when the turn of this thread has ended, or at once if there is none.
    nonisolated static func afterwards(_ body: @escaping @Sendable () -> Void) { if lock.isHeld { perform { enqueue(body) } } else { body() } }
}

/// Runs code of `Turn` that is entered with `await`. No code of this package is.
final class TurnExecutor: SerialExecutor {
    static let shared = TurnExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.main.async { Turn.perform { job.runSynchronously(on: TurnExecutor.shared.asUnownedSerialExecutor()) } }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    func checkIsolated() { demand(Turn.lock.isHeld, "the state of a player was used outside a turn") }
}

/// The notifications that wait for the end of a turn.
///
/// `@unchecked Sendable`: only the owner of `Turn.lock` uses it.
private final class Outbox: @unchecked Sendable {
    typealias Delivery = @Sendable () -> Void

    var isOwnChange = false
    /// Wakes the main queue after this turn; nil for Dispatch.
    var waker: (any MainScheduler)?
    /// The notifications of this turn for its own thread, if that is not the main thread.
    private var here: [Delivery?] = []
    /// The notifications for the main queue, in the order of the turns.
    private var main: [Delivery?] = []
    private var isDeliveringMain = false
    /// The lists of the other threads that are delivering, by thread.
    private var elsewhere: [UInt: [Delivery?]] = [:]
    /// Whether this turn is on the main queue; nil until that matters, because it costs more than most turns.
    private var isTurnOnMain: Bool?

    func isOnMain() -> Bool {
        if let isTurnOnMain { return isTurnOnMain }
        let isCurrent = MainQueue.isCurrent
        isTurnOnMain = isCurrent
        return isCurrent
    }

    /// Whether the end of this turn has something to do.
    var hasWork: Bool { isTurnOnMain != nil || waker != nil }

    func add(_ delivery: @escaping Delivery) {
        if isOnMain() || isOwnChange { main.append(delivery) } else { here.append(delivery) }
    }

    func addOnMain(_ delivery: @escaping Delivery) {
        _ = isOnMain()
        main.append(delivery)
    }

    /// Ends the turn: releases the lock, and delivers.
    func endTurn() {
        let (isOnMain, scheduler) = (isTurnOnMain, waker)
        (isTurnOnMain, waker) = (nil, nil)
        guard let isOnMain else { return Turn.lock.unlock() }
        if isOnMain { return deliverMain() }
        if !main.isEmpty, !isDeliveringMain {
            (scheduler ?? DispatchMainScheduler()).async { [self] in
                Turn.lock.lock()
                deliverMain()
            }
        }
        deliverHere()
    }

    /// Delivers on the main queue, unless that is what it is doing. Called with the lock, which it releases.
    private func deliverMain() {
        if !isDeliveringMain {
            isDeliveringMain = true
            var next = 0
            while next < main.count {
                var delivery = main[next].take()
                next += 1
                outside(&delivery)
            }
            main.removeAll(keepingCapacity: main.count < 64)
            isDeliveringMain = false
        }
        Turn.lock.unlock()
    }

    /// Delivers on a thread that is not the main thread. Called with the lock, which it releases.
    private func deliverHere() {
        let list = here
        here = []
        let thread = RecursiveLock.thread
        if elsewhere[thread] != nil {
            elsewhere[thread]?.append(contentsOf: list)
        } else if !list.isEmpty {
            elsewhere[thread] = list
            var next = 0
            while next < elsewhere[thread]?.count ?? 0 {
                var delivery = elsewhere[thread]?[next].take()
                next += 1
                outside(&delivery)
            }
            elsewhere[thread] = nil
        }
        Turn.lock.unlock()
    }

    /// Calls and releases a delivery without the lock, because the release may run a `deinit` of the program.
    private func outside(_ delivery: inout Delivery?) {
        Turn.lock.unlock()
        delivery?()
        delivery = nil
        Turn.lock.lock()
    }
}
