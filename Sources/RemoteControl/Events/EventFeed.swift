import PlaybackEngine
import Playlist
import Synchronization

/// What all event streams read from: the snapshot, the log, the newest tick of each interval, the newest heartbeat. Any thread.
///
/// The main actor writes (through `EventHub`); the server's threads read, each stream at its own pace with nothing but a cursor of its own. So a client
/// costs no memory for what it has not read, and a slow one is slow for itself alone. Streams are woken by the server, all at once, or on a queue of
/// their own: never one by one by the writer.
final class EventFeed: Sendable {
    /// How much is kept, and for how long a client is waited for.
    struct Limits: Sendable {
        var log = EventLog.Capacity()
        /// How many events a client may be behind before it gets one `state` for all of them.
        var backlog = 256
        /// How long a client may leave what it is sent unread before it is dropped, seconds.
        var unreadTime = 60.0
        /// How many different tick intervals and lists of boundaries there may be at once.
        var watches = 64
        /// How many of them the clients of one address may ask for; those of this machine may ask for all.
        var watchesOfAddress = 8
    }

    /// What has been told, counted for each client.
    struct Counts: Sendable {
        var sent = 0
        var dropped = 0
    }

    /// Runs work in order, soon, on some thread that is not the caller's.
    typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        var log: EventLog
        /// That of the newest `state` event.
        var snapshot: PlayerSnapshot
        var heartbeat: (generation: Int, frame: EventFrame)?
        var watches: WatchTable
        var streams: [ObjectIdentifier: SubscriberStream] = [:]
        var wakeUps = WakeUps()
        var wakeEveryone: (@Sendable () -> Void)?
        var isClosed = false
        /// Events handed to streams, and events that streams missed because they were too slow.
        var counts = Counts()
    }
    /// Whom to wake next; everybody, or those who asked for something.
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
    /// The newest snapshot once more: reading the state does not wait for streams, nor they for it.
    private let published: Mutex<PlayerSnapshot>
    /// Called after the set of wanted watches, or whether there are streams, has changed.
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

    /// The newest snapshot.
    var snapshot: PlayerSnapshot { published.withLock { $0 } }
    /// The number of the newest event.
    var newestSequence: Int { state.withLock { $0.log.newest } }

    /// Numbers an event and keeps it.
    func append(name: String, payload: [UInt8]) {
        update { state in append(name: name, payload: payload, to: &state) }
    }

    /// Makes `snapshot` the newest, with its `state` event, in one step: no stream sees the one without the other.
    func publish(_ snapshot: PlayerSnapshot, changed: [String]) {
        let payload = snapshot.event(changed: changed, hostTime: clock.now.seconds)
        published.withLock { $0 = snapshot }
        update { state in
            state.snapshot = snapshot
            append(name: "state", payload: payload, to: &state)
        }
    }

    /// Tells those who asked for it.
    func publish(_ watch: Watch, payload: [UInt8]) {
        wake { state in
            let frame = EventFrame(sequence: state.log.newest, id: nil, name: watch.name, payload: payload)
            guard state.watches.append(frame, to: watch) else { return false }
            // Where most want it, to wake everybody is cheaper than to choose.
            if state.watches.users(of: watch) * 2 > state.streams.count, state.wakeEveryone != nil {
                state.wakeUps.all = true
            } else {
                state.wakeUps.watches.insert(watch)
            }
            return true
        }
    }

    /// Tells everybody that the connection lives, and drops who reads nothing.
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

    /// Ends every stream, now and later.
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

    /// The server's way to wake all streams at the cost of one, from now on.
    func wakeAll(with wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakeEveryone = wake }
    }

    /// Changes the state and, where `change` says so, wakes streams: all of them at once where the server can, else later, on the runner, and then many
    /// changes in between wake them once.
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

    /// Where a new stream begins: behind what the client has, or with a snapshot.
    func startingCursor(lastEventID: String?, watches: [Watch]) -> EventCursor {
        state.withLock { state in
            var cursor = EventCursor(sequence: state.log.newest)
            cursor.watches = watches.map(state.watches.newest)
            cursor.heartbeat = state.heartbeat?.generation ?? 0
            if let lastEventID, !lastEventID.isEmpty {
                if let sequence = sequence(ofID: lastEventID), state.log.canReplay(after: sequence) {
                    cursor.sequence = sequence
                    // Asked for once more: what is replayed may be longer than the backlog of a client that is merely slow.
                    cursor.replayEnd = state.log.newest
                } else {
                    cursor.snapshot = .resync
                }
            } else {
                cursor.snapshot = .first
            }
            return cursor
        }
    }

    /// The next frame for a stream, moving its cursor; nil where there is nothing new.
    func next(_ cursor: inout EventCursor, leases: [WatchLease]) -> EventFrame? {
        let (frame, snapshot) = state.withLock { state -> (EventFrame?, (PlayerSnapshot, sequence: Int, EventCursor.Snapshot)?) in
            let isBehind = state.log.newest - cursor.sequence > limits.backlog && cursor.sequence >= cursor.replayEnd
            if cursor.snapshot == nil, isBehind || !state.log.canReplay(after: cursor.sequence) { cursor.snapshot = .coalesced }
            if let kind = cursor.snapshot {
                if kind == .coalesced { state.counts.dropped += state.log.newest - cursor.sequence }
                state.counts.sent += 1
                cursor.snapshot = nil
                cursor.sequence = state.log.newest
                // A time from before the snapshot would take the client's time back.
                for (index, lease) in leases.enumerated() {
                    cursor.watches[index] = state.watches.skip(lease.watch, after: cursor.watches[index], before: state.log.newest)
                }
                return (nil, (state.snapshot, state.log.newest, kind))
            }
            // What is not numbered has its place between the events, too: before those that came later.
            for (index, lease) in leases.enumerated() {
                guard let (frame, generation) = state.watches.next(lease.watch, after: cursor.watches[index]), frame.sequence <= cursor.sequence
                else { continue }
                cursor.watches[index] = generation
                state.counts.sent += 1
                return (frame, nil)
            }
            if let heartbeat = state.heartbeat, heartbeat.generation != cursor.heartbeat, heartbeat.frame.sequence <= cursor.sequence {
                cursor.heartbeat = heartbeat.generation
                state.counts.sent += 1
                return (heartbeat.frame, nil)
            }
            guard let frame = state.log.frame(cursor.sequence + 1) else { return (nil, nil) }
            cursor.sequence += 1
            state.counts.sent += 1
            return (frame, nil)
        }
        guard let (document, sequence, kind) = snapshot else { return frame }
        let payload = document.event(hostTime: clock.now.seconds, flag: kind.flag)
        return EventFrame(sequence: sequence, id: "\(epoch):\(sequence)", name: "state", payload: payload, retry: 1000)
    }

    /// Whether there is something for a stream behind its cursor.
    func hasMore(_ cursor: EventCursor) -> Bool { state.withLock { cursor.snapshot != nil || cursor.sequence < $0.log.newest } }

    /// Whether streams are to end.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// What has been told to all of them up to now.
    var counts: Counts { state.withLock { $0.counts } }

    /// How many streams are open.
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

    /// What somebody wants to be told besides.
    var wantedWatches: Set<Watch> { state.withLock { $0.watches.wanted } }

    /// Asks for something until the lease is dropped; nil where there are too many different wishes, in all or from this address.
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

/// One client's wish to be told something besides; dropping it gives it up.
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
