import Platform
import PlaybackEngine
import Player
import Synchronization

/// The source of all event streams: the newest snapshot, the log, the newest event of each watch (`Watch`), and the newest heartbeat.
///
/// The main actor writes (through `EventHub`), and the server's threads read for the streams. A stream stores only its cursor, so a client's unread
/// events cost no memory, and a slow client delays only itself. If the server cannot wake all streams at once, a queue wakes them one by one, because
/// the thread that writes must not wait for that.
final class EventBroadcast: Sendable {
    struct Limits: Sendable {
        var log = EventLog.Capacity()
        /// The greatest number of unread events of a client. A client with more receives one `state` event in their place.
        var backlog = 256
        /// The time after which a client that does not read is disconnected, in seconds.
        var unreadTime = 60.0
        /// The greatest number of different tick intervals that all clients together use.
        var watches = 64
        /// The greatest number of them for the clients of one network; clients on the server's machine have no limit of their own.
        var watchesOfAddress = 8
    }

    /// The numbers of events that were sent and discarded; an event for several clients counts once for each.
    struct Counts: Sendable {
        var sent = 0
        var dropped = 0
    }

    /// Runs work soon, in the order of the calls, on another thread.
    typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        var log: EventLog
        var snapshot: PlayerSnapshot
        var heartbeat: (generation: Int, frame: EventFrame)?
        var watches: WatchTable
        var streams: [ObjectIdentifier: SubscriberStream] = [:]
        var wakeUps = WakeUps()
        var wakeEveryone: (@Sendable () -> Void)?
        var isClosed = false
        var counts = Counts()
    }
    /// The streams that have to be woken: all, or only those that requested one of the given watches.
    private struct WakeUps {
        var isScheduled = false
        var all = false
        var watches: Set<Watch> = []
    }

    let epoch: String
    let clock: any HostClock
    let limits: Limits
    private let runner: Runner
    private let state: Mutex<State>
    /// The newest snapshot, with a lock of its own, so that requests for the state do not wait for the event streams.
    private let published: Mutex<PlayerSnapshot>
    /// The function that is called when the set of wanted watches has changed, when the first stream begins, and when the last stream ends.
    private let demandDidChange: @Sendable () -> Void

    init(
        snapshot: PlayerSnapshot, epoch: String, clock: any HostClock, limits: Limits, runner: @escaping Runner,
        demandDidChange: @escaping @Sendable () -> Void
    ) {
        self.epoch = epoch
        self.clock = clock
        self.limits = limits
        self.runner = runner
        self.demandDidChange = demandDidChange
        let watches = WatchTable(capacity: limits.watches, capacityOfAddress: limits.watchesOfAddress)
        state = Mutex(State(log: EventLog(capacity: limits.log), snapshot: snapshot, watches: watches))
        published = Mutex(snapshot)
    }

    // MARK: Writing

    var snapshot: PlayerSnapshot { published.withLock { $0 } }
    var newestSequence: Int { state.withLock { $0.log.newest } }

    func append(name: String, payload: [UInt8]) {
        update { state in append(name: name, payload: payload, to: &state) }
    }

    /// Publishes a snapshot in one step with its `state` event, so that no stream sees one without the other.
    func publish(_ snapshot: PlayerSnapshot, changed: [String]) {
        let hostTime = clock.now.seconds
        let payload = snapshot.event(changed: changed, hostTime: hostTime)
        let reduced = snapshot.changeEvent(changed: changed, epoch: epoch, hostTime: hostTime)
        published.withLock { $0 = snapshot }
        update { state in
            state.snapshot = snapshot
            state.log.append { sequence in
                let id = "\(epoch):\(sequence)"
                let change = EventFrame(sequence: sequence, id: id, name: "stateChange", payload: reduced)
                return EventFrame(sequence: sequence, id: id, name: "state", payload: payload, reduced: change)
            }
        }
    }

    func publish(_ watch: Watch, payload: [UInt8]) {
        wake { state in
            let frame = EventFrame(sequence: state.log.newest, id: nil, name: watch.name, payload: payload)
            guard state.watches.append(frame, to: watch) else { return false }
            // If more than half of the streams want an event, waking all streams is cheaper than selecting them.
            if state.watches.users(of: watch) * 2 > state.streams.count, state.wakeEveryone != nil {
                state.wakeUps.all = true
            } else {
                state.wakeUps.watches.insert(watch)
            }
            return true
        }
    }

    /// Publishes a heartbeat, and disconnects clients that do not read.
    func publishHeartbeat() {
        let now = clock.now
        let payload = JSONWriter.object { $0.member("hostTime", now.seconds) }
        update { state in
            state.heartbeat = (
                (state.heartbeat?.generation ?? 0) + 1, EventFrame(sequence: state.log.newest, id: nil, name: "heartbeat", payload: payload)
            )
        }
        runner { [self] in
            for stream in state.withLock({ Array($0.streams.values) }) { stream.dropIfUnread(at: now) }
        }
    }

    /// Ends all streams, also those that are opened later.
    func close() {
        update { $0.isClosed = true }
    }

    private func append(name: String, payload: [UInt8], to state: inout State) {
        state.log.append { EventFrame(sequence: $0, id: "\(epoch):\($0)", name: name, payload: payload) }
    }

    // MARK: Waking

    private func update(_ change: (inout State) -> Void) {
        wake { state in
            change(&state)
            state.wakeUps.all = true
            return true
        }
    }

    /// Sets the function that wakes all streams at the cost of waking one.
    func wakeAll(with wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakeEveryone = wake }
    }

    /// Wakes streams if `change` returns true: all at once if the server can, otherwise later by the runner, once for many changes.
    private func wake(_ change: (inout State) -> Bool) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard change(&state), !state.streams.isEmpty else { return nil }
            if state.wakeUps.all, let wakeEveryone = state.wakeEveryone {
                state.wakeUps.all = false
                return wakeEveryone
            }
            guard !state.wakeUps.isScheduled else { return nil }
            state.wakeUps.isScheduled = true
            return { [self] in runner { [self] in wakeStreams() } }
        }
        wake?()
    }

    private func wakeStreams() {
        let (wakeUps, streams) = state.withLock { state in
            let wakeUps = state.wakeUps
            state.wakeUps = WakeUps()
            return (wakeUps, Array(state.streams.values))
        }
        for stream in streams where wakeUps.all || stream.watches.contains(where: wakeUps.watches.contains) { stream.wake() }
    }

    // MARK: Streams

    /// The cursor at which a stream begins: after the client's last event if all later events are stored; otherwise after the newest event, and the
    /// stream begins with a snapshot. A stream without `state` events begins with a snapshot only if events that it has missed are no longer stored.
    func startingCursor(_ subscription: EventSubscription) -> EventCursor {
        state.withLock { state in
            var cursor = EventCursor(sequence: state.log.newest)
            cursor.types = subscription.types
            cursor.stateForm = subscription.stateForm
            cursor.watches = subscription.leases.map { state.watches.newest(of: $0.watch) }
            cursor.heartbeat = state.heartbeat?.generation ?? 0
            if let lastEventID = subscription.lastEventID, !lastEventID.isEmpty {
                if let sequence = sequence(ofID: lastEventID), state.log.canReplay(after: sequence) {
                    cursor.sequence = sequence
                    cursor.replayEnd = state.log.newest
                } else {
                    cursor.snapshot = .resync
                }
            } else {
                cursor.snapshot = subscription.types.contains(EventTypes("state")) ? .first : nil
            }
            return cursor
        }
    }

    /// The next event of a stream; nil if no event has to be sent now.
    func next(_ cursor: inout EventCursor, leases: [WatchLease]) -> EventFrame? {
        let (frame, snapshot) = state.withLock { state -> (EventFrame?, (PlayerSnapshot, sequence: Int, EventCursor.Snapshot)?) in
            // Events that the client did not request must not count as missed.
            while let frame = state.log.frame(cursor.sequence + 1), cursor.types.isDisjoint(with: frame.type) { cursor.sequence += 1 }
            let isBehind = state.log.newest - cursor.sequence > limits.backlog && cursor.sequence >= cursor.replayEnd
            if cursor.snapshot == nil, isBehind || !state.log.canReplay(after: cursor.sequence) { cursor.snapshot = .coalesced }
            if let kind = cursor.snapshot {
                if kind == .coalesced { state.counts.dropped += state.log.newest - cursor.sequence }
                state.counts.sent += 1
                cursor.snapshot = nil
                cursor.sequence = state.log.newest
                // Watch events that are older than the snapshot are skipped: their media time is earlier, so the client's time would move back.
                for (index, lease) in leases.enumerated() {
                    cursor.watches[index] = state.watches.skip(lease.watch, after: cursor.watches[index], before: state.log.newest)
                }
                return (nil, (state.snapshot, state.log.newest, kind))
            }
            // Unnumbered events are sent after all older numbered ones, and before all newer ones.
            for (index, lease) in leases.enumerated() {
                guard let (frame, generation) = state.watches.next(lease.watch, after: cursor.watches[index]), frame.sequence <= cursor.sequence
                else { continue }
                cursor.watches[index] = generation
                state.counts.sent += 1
                return (frame, nil)
            }
            if let heartbeat = state.heartbeat, heartbeat.generation != cursor.heartbeat, heartbeat.frame.sequence <= cursor.sequence,
                cursor.types.contains(heartbeat.frame.type)
            {
                cursor.heartbeat = heartbeat.generation
                state.counts.sent += 1
                return (heartbeat.frame, nil)
            }
            guard let frame = state.log.frame(cursor.sequence + 1) else { return (nil, nil) }
            cursor.sequence += 1
            state.counts.sent += 1
            return (cursor.stateForm == .changes ? frame.reduced ?? frame : frame, nil)
        }
        guard let (document, sequence, kind) = snapshot else { return frame }
        let payload = document.event(hostTime: clock.now.seconds, flag: kind.flag)
        return EventFrame(sequence: sequence, id: "\(epoch):\(sequence)", name: "state", payload: payload, retry: 1000)
    }

    func hasMore(_ cursor: EventCursor) -> Bool { state.withLock { cursor.snapshot != nil || cursor.sequence < $0.log.newest } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var counts: Counts { state.withLock { $0.counts } }

    /// The number of open streams, including those of WebSockets.
    var streamCount: Int { state.withLock { $0.streams.count } }

    func add(_ stream: SubscriberStream) {
        let isFirst = state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = stream
            return state.streams.count == 1
        }
        if isFirst { demandDidChange() }
    }

    func remove(_ stream: SubscriberStream) {
        let wasLast = state.withLock { $0.streams.removeValue(forKey: ObjectIdentifier(stream)) != nil && $0.streams.isEmpty }
        if wasLast { demandDidChange() }
    }

    // MARK: Watches

    var wantedWatches: Set<Watch> { state.withLock { $0.watches.wanted } }

    /// Requests a watch for a client. Nil if clients already request too many different watches, in total or from one network.
    func lease(_ watch: Watch, for peer: HTTPPeer = .loopback) -> WatchLease? {
        let address = peer.isLoopback ? nil : peer.network
        let outcome = state.withLock { $0.watches.enter(watch, address: address) }
        if outcome == .new { demandDidChange() }
        return outcome == .refused ? nil : WatchLease(watch, address, self)
    }

    fileprivate func release(_ watch: Watch, _ address: String?) {
        if state.withLock({ $0.watches.leave(watch, address: address) }) { demandDidChange() }
    }

    private func sequence(ofID id: String) -> Int? {
        let start = (epoch + ":").utf8
        guard id.utf8.starts(with: start) else { return nil }
        return Int(Substring(id.utf8.dropFirst(start.count))).flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// One client's request for a watch, which ends when the lease is released.
final class WatchLease: Sendable {
    let watch: Watch
    private let address: String?
    private let broadcast: EventBroadcast

    fileprivate init(_ watch: Watch, _ address: String?, _ broadcast: EventBroadcast) {
        self.watch = watch
        self.address = address
        self.broadcast = broadcast
    }

    deinit { broadcast.release(watch, address) }
}
