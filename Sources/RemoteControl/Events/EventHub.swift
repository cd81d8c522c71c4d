import Dispatch
import Platform
import PlaybackEngine
import Player

/// Turns changes of the player into events. Only the hub counts the revisions of the state and encodes events.
@MainActor final class EventHub {
    /// The time between two heartbeats, in seconds.
    static let heartbeatInterval = 15.0

    nonisolated let broadcast: EventBroadcast
    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var observation: ObservationToken?
    private var watchObservations: [Watch: ObservationToken] = [:]
    private var due: Set<Watch> = []
    private var heartbeat: (any ScheduledAction)?
    private var waiters: [Int: Waiter] = [:]
    private var waiterCount = 0
    private var isClosed = false

    private struct Waiter {
        let continuation: CheckedContinuation<Void, Never>
        let timer: any ScheduledAction
    }

    /// - Parameter runner: The runner that wakes the streams; a serial queue in production.
    init(
        player: any RemotePlayer, epoch: String, clock: any HostClock, scheduler: any MainScheduler, limits: EventBroadcast.Limits,
        runner: @escaping EventBroadcast.Runner
    ) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
        let demand = Demand()
        let first = PlayerSnapshot(player.state, epoch: epoch, revision: 1)
        broadcast = EventBroadcast(snapshot: first, epoch: epoch, clock: clock, limits: limits, runner: runner) {
            scheduler.async { demand.hub?.meetDemand() }
        }
        demand.hub = self
        observation = player.observe { [weak self] notice in
            switch notice {
            case .state(let state): self?.publish(state)
            case .event(let event): self?.publish(event)
            }
        }
    }

    /// A queue that wakes the streams: for 10,000 of them this takes milliseconds, which would delay the main actor.
    nonisolated static func wakeQueue() -> EventBroadcast.Runner {
        let queue = DispatchQueue(label: "tonearm.events", qos: .userInitiated)
        return { work in queue.async(execute: work) }
    }

    // MARK: The player

    private func publish(_ event: PlayerEvent) {
        guard !isClosed else { return }
        broadcast.append(name: event.name, payload: event.json(hostTime: clock.now.seconds))
    }

    private func publish(_ state: PlayerState) {
        let newest = broadcast.snapshot
        guard !isClosed, state != newest.state else { return }
        let changed = state.changedMembers(since: newest.state)
        broadcast.publish(PlayerSnapshot(state, epoch: broadcast.epoch, revision: newest.revision + 1), changed: changed)
        resumeWaiters()
        // Clients that requested only ticks must learn of a pause and of a resume immediately.
        guard state.anchor != newest.state.anchor else { return }
        for case .tick(let interval) in watchObservations.keys { timeDidPass(.tick(interval)) }
    }

    /// The snapshot with all changes so far, so that the answer to a change contains its effect.
    func settledSnapshot() async -> PlayerSnapshot {
        if player.state != broadcast.snapshot.state {
            await withCheckedContinuation { continuation in player.afterPublishing { continuation.resume() } }
        }
        return broadcast.snapshot
    }

    // MARK: Waiting

    func waitForChange(from entityTag: String, atMost seconds: Double) async {
        guard !isClosed, broadcast.snapshot.entityTag == entityTag else { return }
        waiterCount += 1
        let id = waiterCount
        await withCheckedContinuation { continuation in
            let timer = scheduler.schedule(at: clock.now + seconds) { [weak self] in self?.resumeWaiter(id) }
            waiters[id] = Waiter(continuation: continuation, timer: timer)
        }
    }

    private func resumeWaiter(_ id: Int) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        waiter.timer.cancel()
        waiter.continuation.resume()
    }

    private func resumeWaiters() {
        for id in waiters.keys.sorted() { resumeWaiter(id) }
    }

    // MARK: Demand

    /// Observes the player for exactly the watches that clients requested, and sends heartbeats only while streams are open.
    private func meetDemand() {
        let wanted = isClosed ? [] : broadcast.wantedWatches
        for watch in watchObservations.keys where !wanted.contains(watch) { watchObservations.removeValue(forKey: watch)?.cancel() }
        for watch in wanted where watchObservations[watch] == nil { watchObservations[watch] = observe(watch) }
        let beats = !isClosed && broadcast.streamCount > 0
        if !beats {
            heartbeat?.cancel()
            heartbeat = nil
        } else if heartbeat == nil {
            beat(at: clock.now + Self.heartbeatInterval)
        }
    }

    private func observe(_ watch: Watch) -> ObservationToken {
        switch watch {
        case .tick(let interval): return player.observeTime(every: interval.seconds) { [weak self] _ in self?.timeDidPass(watch) }
        case .buffer:
            let reports = BufferReports(player: player, clock: clock, scheduler: scheduler) { [broadcast, clock] in
                broadcast.publish(watch, payload: $0.json(hostTime: clock.now.seconds))
            }
            return ObservationToken { reports.cancel() }
        }
    }

    /// Publishes the media time after the state changes of the present main-actor job, so that a client receives the reason of the new time (a jump,
    /// a new item) first. Several calls for one watch in one job publish one event.
    private func timeDidPass(_ watch: Watch) {
        guard due.insert(watch).inserted else { return }
        player.afterPublishing { [weak self] in self?.publishTime(of: watch) }
    }

    private func publishTime(of watch: Watch) {
        due.remove(watch)
        // The time is read now, so that it agrees with the events that were published in between.
        broadcast.publish(watch, payload: player.currentTime().json())
    }

    private func beat(at time: HostTime) {
        heartbeat = scheduler.schedule(at: time) { [weak self] in
            guard let self else { return }
            broadcast.publishHeartbeat()
            // Heartbeats are planned from the planned time of the last one, so that delays do not add up; those during a suspension are skipped.
            let next = time + Self.heartbeatInterval
            beat(at: next > clock.now ? next : clock.now + Self.heartbeatInterval)
        }
    }

    // MARK: Ending

    /// Answers every waiting request, and closes the streams. Further calls have no effect.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        observation?.cancel()
        meetDemand()
        broadcast.close()
        resumeWaiters()
    }
}

/// The reference from the broadcast to its hub, which creates the broadcast.
@MainActor private final class Demand {
    weak var hub: EventHub?
    nonisolated init() {}
}

extension EventHub {
    /// Rejects a request whose `If-Match` does not name the present state. No command runs before the next statement of a main-actor caller.
    func requireMatch(_ request: RouteRequest) async throws(Problem) {
        guard request.fields.ifMatch != nil else { return }
        let snapshot = await settledSnapshot()
        try request.requireMatch(.player, snapshot.tag)
    }
}
