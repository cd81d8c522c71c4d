import Dispatch
import PlaybackEngine
import Playlist

/// Listens to the player and tells the world: the one place where revisions are counted and events become bytes.
///
/// On the main actor, with the player. Everybody else reads `feed`.
@MainActor final class EventHub {
    /// How often a page is told that its connection lives, seconds.
    static let heartbeatInterval = 15.0

    nonisolated let feed: EventFeed
    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let answerFields: [(name: String, value: String)]
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

    /// `answerFields`: see `PlayerSnapshot`. `runner`: where streams are woken; a serial queue in production.
    init(
        player: any RemotePlayer, epoch: String, answerFields: [(name: String, value: String)] = [], clock: any HostClock,
        scheduler: any MainScheduler,
        limits: EventFeed.Limits, runner: @escaping EventFeed.Runner
    ) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
        self.answerFields = answerFields
        let demand = Demand()
        let first = PlayerSnapshot(player.state, epoch: epoch, revision: 1, fields: answerFields)
        feed = EventFeed(snapshot: first, epoch: epoch, clock: clock, limits: limits, runner: runner) {
            scheduler.async { demand.hub?.meetDemand() }
        }
        demand.hub = self
        observation = player.observe { [weak self] notice in
            switch notice {
            case .state(let state): self?.publish(state)
            case .event(let event): self?.tell(event)
            }
        }
    }

    /// The queue on which streams are woken: waking ten thousand takes milliseconds, which the main actor does not have.
    nonisolated static func wakeQueue() -> EventFeed.Runner {
        let queue = DispatchQueue(label: "tonearm.events", qos: .userInitiated)
        return { work in queue.async(execute: work) }
    }

    // MARK: The player

    private func tell(_ event: PlayerEvent) {
        guard !isClosed else { return }
        feed.append(name: event.name, payload: event.json(hostTime: clock.now.seconds))
    }

    /// A state that equals the newest is no change.
    private func publish(_ state: PlayerState) {
        let newest = feed.snapshot
        guard !isClosed, state != newest.state else { return }
        let changed = state.changedMembers(since: newest.state)
        feed.publish(PlayerSnapshot(state, epoch: feed.epoch, revision: newest.revision + 1, fields: answerFields), changed: changed)
        resumeWaiters()
        // Who goes by ticks alone is not to run on behind a pause, nor to stand still behind its end.
        guard state.anchor != newest.state.anchor else { return }
        for case .tick(let interval) in watchObservations.keys { timeDidPass(.tick(interval)) }
    }

    /// The snapshot that shows what has been done up to now: who changed something reads its own change.
    func settledSnapshot() async -> PlayerSnapshot {
        if player.state != feed.snapshot.state {
            // The player tells of a change at the end of its turn, events first; that is enqueued before this.
            await withCheckedContinuation { continuation in scheduler.async { continuation.resume() } }
        }
        return feed.snapshot
    }

    // MARK: Waiting

    /// Returns when the snapshot is not the one called `entityTag` any more, or after `seconds`.
    func waitForChange(from entityTag: String, atMost seconds: Double) async {
        guard !isClosed, feed.snapshot.entityTag == entityTag else { return }
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

    /// Observes exactly what somebody wants, and beats exactly while there are streams.
    private func meetDemand() {
        let wanted = isClosed ? [] : feed.wantedWatches
        for watch in watchObservations.keys where !wanted.contains(watch) { watchObservations.removeValue(forKey: watch)?.cancel() }
        for watch in wanted where watchObservations[watch] == nil { watchObservations[watch] = observe(watch) }
        let beats = !isClosed && feed.streamCount > 0
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
        case .boundary(let times): return player.observeBoundaries(at: times.seconds) { [weak self] _ in self?.timeDidPass(watch) }
        case .buffer:
            let reports = BufferReports(player: player, clock: clock, scheduler: scheduler) { [feed, clock] in
                feed.publish(watch, payload: $0.json(hostTime: clock.now.seconds))
            }
            return ObservationToken { reports.cancel() }
        }
    }

    /// The time is told when its turn of the player is over, behind the jump or the new item that it shows: a client's time moves back only where an event
    /// has said so. The player's state is told one turn after its cause; so the time waits two. Several of one watch are one by then.
    private func timeDidPass(_ watch: Watch) {
        guard due.insert(watch).inserted else { return }
        scheduler.async { [weak self] in
            self?.scheduler.async { self?.tellTime(watch) }
        }
    }

    private func tellTime(_ watch: Watch) {
        due.remove(watch)
        // The time now, not that of the call: what was told in between is true of it.
        feed.publish(watch, payload: player.currentTime().json())
    }

    private func beat(at time: HostTime) {
        heartbeat = scheduler.schedule(at: time) { [weak self] in
            guard let self else { return }
            feed.publishHeartbeat()
            // From the planned time, so that beats do not drift; after a long sleep the missed ones are left out.
            let next = time + Self.heartbeatInterval
            beat(at: next > clock.now ? next : clock.now + Self.heartbeatInterval)
        }
    }

    // MARK: Ending

    /// Ends every stream and answers every waiting request. Idempotent.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        observation?.cancel()
        meetDemand()
        feed.close()
        resumeWaiters()
    }
}

/// The way back from the feed to its hub, which does not exist yet when the feed is made.
@MainActor private final class Demand {
    weak var hub: EventHub?
    nonisolated init() {}
}
