import Platform
import PlaybackEngine
import Playlist
import Synchronization

/// The source of all event streams: the newest snapshot (the state at one revision), the log, the newest events of each watch (`Watch`), and the
/// newest heartbeat. Any thread may use the feed.
///
/// The main actor writes to the feed (through `EventHub`), and the server's threads read it for the streams. A stream stores only its cursor and is
/// read at its own pace. So a client's unread events cost no memory, and a slow client delays only itself. The server wakes all streams at once if it
/// can. Otherwise a dispatch queue wakes them one by one, because the thread that writes to the feed must not wait for that.
final class EventFeed: Sendable {
    /// The limits on the log, on slow clients, and on watches (kinds of unnumbered events that clients request).
    struct Limits: Sendable {
        var log = EventLog.Capacity()
        /// The maximum number of unread events of a client. A client with more unread events receives one `state` event in their place.
        var backlog = 256
        /// The time, in seconds, after which a client that does not read is disconnected.
        var unreadTime = 60.0
        /// The maximum number of different watches (tick intervals and lists of boundaries) of all clients.
        var watches = 64
        /// The maximum number of different watches that the clients of one network may request. For clients on the server's machine only the limit
        /// for all clients applies.
        var watchesOfAddress = 8
    }

    /// The numbers of events sent and dropped. An event for several clients counts once for each client.
    struct Counts: Sendable {
        var sent = 0
        var dropped = 0
    }

    /// A function that runs work soon, in the order of its calls, on another thread than the caller's thread.
    typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        var log: EventLog
        /// The snapshot that the newest `state` event contains.
        var snapshot: PlayerSnapshot
        var heartbeat: (generation: Int, frame: EventFrame)?
        var watches: WatchTable
        var streams: [ObjectIdentifier: SubscriberStream] = [:]
        var wakeUps = WakeUps()
        var wakeEveryone: (@Sendable () -> Void)?
        var isClosed = false
        /// The number of events handed to streams, and the number of events that streams missed because they were too slow.
        var counts = Counts()
    }
    /// The streams that are woken next: all streams, or only those that requested one of the given watches.
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
    /// A second copy of the newest snapshot with its own lock. So requests for the state do not wait for the event streams.
    private let published: Mutex<PlayerSnapshot>
    /// The function that is called if the set of wanted watches has changed, if the first stream was added, and if the last stream was removed.
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

    /// The newest snapshot of the player's state.
    var snapshot: PlayerSnapshot { published.withLock { $0 } }
    /// The number of the newest event in the log.
    var newestSequence: Int { state.withLock { $0.log.newest } }

    /// Gives an event the next number and appends it to the log.
    func append(name: String, payload: [UInt8]) {
        update { state in append(name: name, payload: payload, to: &state) }
    }

    /// Publishes `snapshot` as the newest one, and appends its `state` event. For the streams both happen in one step, so that no stream sees the
    /// snapshot without the event or the event without the snapshot.
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

    /// Publishes an event of a watch to the streams that requested the watch.
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

    /// Sends a heartbeat to all streams, and disconnects clients that do not read.
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

    /// Ends all open streams, and each stream that is opened later.
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

    /// Sets the function with which the server wakes all streams at once, at the cost of waking one stream.
    func wakeAll(with wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakeEveryone = wake }
    }

    /// Changes the feed's state, and wakes streams if the function `change` returns true. The server wakes all streams at once if it can. Otherwise
    /// the runner wakes the streams later, once for many changes.
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

    /// Returns the cursor (the position in the feed) of a new stream. It is after the client's last event if all later events are stored. Otherwise,
    /// or if the client names no last event, it is after the newest event, and the stream begins with a snapshot.
    ///
    /// A stream without events of the type `state` begins with a snapshot only if events that it has missed are no longer stored.
    func startingCursor(_ subscription: Subscription) -> EventCursor {
        state.withLock { state in
            var cursor = EventCursor(sequence: state.log.newest)
            cursor.types = subscription.types
            cursor.stateForm = subscription.stateForm
            cursor.watches = subscription.leases.map { state.watches.newest(of: $0.watch) }
            cursor.heartbeat = state.heartbeat?.generation ?? 0
            if let lastEventID = subscription.lastEventID, !lastEventID.isEmpty {
                if let sequence = sequence(ofID: lastEventID), state.log.canReplay(after: sequence) {
                    cursor.sequence = sequence
                    // The number of the last event to be replayed is stored, because the limit for slow clients (`backlog`) must not apply to the replay.
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

    /// Returns the next event for a stream and advances the stream's cursor; nil if no event has to be sent now.
    func next(_ cursor: inout EventCursor, leases: [WatchLease]) -> EventFrame? {
        let (frame, snapshot) = state.withLock { state -> (EventFrame?, (PlayerSnapshot, sequence: Int, EventCursor.Snapshot)?) in
            // Events that the client did not request are skipped first, because they must not count as missed events.
            while let frame = state.log.frame(cursor.sequence + 1), cursor.types.isDisjoint(with: frame.type) { cursor.sequence += 1 }
            let isBehind = state.log.newest - cursor.sequence > limits.backlog && cursor.sequence >= cursor.replayEnd
            if cursor.snapshot == nil, isBehind || !state.log.canReplay(after: cursor.sequence) { cursor.snapshot = .coalesced }
            if let kind = cursor.snapshot {
                if kind == .coalesced { state.counts.dropped += state.log.newest - cursor.sequence }
                state.counts.sent += 1
                cursor.snapshot = nil
                cursor.sequence = state.log.newest
                // Watch events that are older than the snapshot are skipped, because their media time precedes that of the snapshot: the client's
                // time would move back.
                for (index, lease) in leases.enumerated() {
                    cursor.watches[index] = state.watches.skip(lease.watch, after: cursor.watches[index], before: state.log.newest)
                }
                return (nil, (state.snapshot, state.log.newest, kind))
            }
            // An unnumbered event is sent after all older numbered events, and before all newer numbered events.
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

    /// Whether a snapshot is due for the cursor, or the log has a numbered event after the cursor.
    func hasMore(_ cursor: EventCursor) -> Bool { state.withLock { cursor.snapshot != nil || cursor.sequence < $0.log.newest } }

    /// Whether the feed is closed, so that all streams must end.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The sums of sent and dropped events for all streams since the start of the server.
    var counts: Counts { state.withLock { $0.counts } }

    /// The number of open event streams, including those of WebSockets.
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

    /// The watches that at least one stream requested.
    var wantedWatches: Set<Watch> { state.withLock { $0.watches.wanted } }

    /// Requests a watch (a kind of unnumbered event) until the returned lease is released; nil if clients already request too many different watches,
    /// in total or from one network.
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

/// One client's request for a watch (a kind of unnumbered event). The request for a watch ends when its lease is released.
final class WatchLease: Sendable {
    let watch: Watch
    private let address: String?
    private let feed: EventFeed

    fileprivate init(_ watch: Watch, _ address: String?, _ feed: EventFeed) {
        self.watch = watch
        self.address = address
        self.feed = feed
    }

    deinit { feed.release(watch, address) }
}
