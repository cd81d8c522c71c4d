import Dispatch
import Platform
import PlaybackEngine
import Playlist

/// The hub turns changes of the player into events. Only the hub counts the revisions of the state and encodes events.
///
/// The hub is used on the main actor only, like the player. All other code reads the event feed.
@MainActor final class EventHub {
    /// The time between two heartbeats, in seconds.
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

    /// Creates the hub of a player.
    ///
    /// - Parameters:
    ///   - answerFields: The additional header fields of prepared answers, see `PlayerSnapshot`.
    ///   - runner: The function that runs the waking of streams; a serial queue in production.
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
            case .event(let event): self?.publish(event)
            }
        }
    }

    /// Returns a function that wakes streams on a dispatch queue of its own. Waking 10,000 streams takes milliseconds, which would delay the main
    /// actor.
    nonisolated static func wakeQueue() -> EventFeed.Runner {
        let queue = DispatchQueue(label: "tonearm.events", qos: .userInitiated)
        return { work in queue.async(execute: work) }
    }

    // MARK: The player

    private func publish(_ event: PlayerEvent) {
        guard !isClosed else { return }
        feed.append(name: event.name, payload: event.json(hostTime: clock.now.seconds))
    }

    /// Publishes a state of the player, unless it equals the state that was published last.
    private func publish(_ state: PlayerState) {
        let newest = feed.snapshot
        guard !isClosed, state != newest.state else { return }
        let changed = state.changedMembers(since: newest.state)
        feed.publish(PlayerSnapshot(state, epoch: feed.epoch, revision: newest.revision + 1, fields: answerFields), changed: changed)
        resumeWaiters()
        // Clients that requested only ticks must learn of a pause and of a resume immediately.
        guard state.anchor != newest.state.anchor else { return }
        for case .tick(let interval) in watchObservations.keys { timeDidPass(.tick(interval)) }
    }

    /// Returns a snapshot of the player's state that includes all changes so far, so that the answer to a change contains its effect.
    func settledSnapshot() async -> PlayerSnapshot {
        if player.state != feed.snapshot.state {
            await withCheckedContinuation { continuation in player.afterPublishing { continuation.resume() } }
        }
        return feed.snapshot
    }

    // MARK: Waiting

    /// Waits until the newest snapshot has another entity tag than `entityTag`, for at most `seconds` seconds.
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

    /// Observes the player for exactly the watches (`Watch`) that clients requested, and sends heartbeats only while streams are open.
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

    /// Publishes the media time after the player has published the changes of the present turn of the main actor. So a client receives the cause of a
    /// new time (a jump or a new item) before the time itself, and a client's time never moves back without an announcement. If `timeDidPass` is
    /// called several times for one watch in one turn, one event is published.
    private func timeDidPass(_ watch: Watch) {
        guard due.insert(watch).inserted else { return }
        player.afterPublishing { [weak self] in self?.publishTime(of: watch) }
    }

    private func publishTime(of watch: Watch) {
        due.remove(watch)
        // The media time is read when the event is published, not when the event was requested. A media time that is read at the publication agrees
        // with the events that were published before.
        feed.publish(watch, payload: player.currentTime().json())
    }

    private func beat(at time: HostTime) {
        heartbeat = scheduler.schedule(at: time) { [weak self] in
            guard let self else { return }
            feed.publishHeartbeat()
            // The time of the next heartbeat is based on the planned time of the present one, so that delays do not accumulate. After the machine was
            // suspended, the missed heartbeats are skipped.
            let next = time + Self.heartbeatInterval
            beat(at: next > clock.now ? next : clock.now + Self.heartbeatInterval)
        }
    }

    // MARK: Ending

    /// Ends every event stream and answers every waiting request. `close` is idempotent.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        observation?.cancel()
        meetDemand()
        feed.close()
        resumeWaiters()
    }
}

/// The reference from the feed to its hub. The reference is set later, because the feed is created before the hub.
@MainActor private final class Demand {
    weak var hub: EventHub?
    nonisolated init() {}
}
