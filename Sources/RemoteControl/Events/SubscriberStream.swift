import PlaybackEngine
import Synchronization

/// What one client asked for besides the numbered events; dropping it gives the leases up.
struct Subscription: Sendable {
    var lastEventID: String?
    /// Its ticks and its boundaries.
    var leases: [WatchLease] = []
}

/// One client's view of the feed: a cursor, and the bytes of which a part has been sent.
final class SubscriberStream: EventStream {
    /// How events go over the wire.
    enum Form: Sendable {
        case serverSentEvents
        case webSocket

        func bytes(of frame: EventFrame) -> [UInt8] {
            switch self {
            case .serverSentEvents: frame.bytes
            case .webSocket: frame.socketFrame
            }
        }
    }

    /// Bytes that are sent whole, and what counts their memory until they are.
    private struct Piece {
        let bytes: [UInt8]
        var isOwn = false
        var memory: MemoryReservation?
    }

    private struct State {
        var cursor: EventCursor
        /// What is being sent, and how much of it has been.
        var current: Piece?
        var sent = 0
        /// What goes to this client alone; it waits for the events before it.
        var own: [Piece] = []
        /// How many bytes those have, with the one that is being sent.
        var ownSize = 0
        var wake: (@Sendable () -> Void)?
        /// Since when the client is known to leave something unread.
        var unreadSince: HostTime?
        /// Whether nothing comes behind `current` and `own`.
        var isEnding = false
        var isOver = false
    }

    private let feed: EventFeed
    private let leases: [WatchLease]
    private let form: Form
    /// What is said where the server ends.
    private let farewell: [UInt8]
    private let state: Mutex<State>

    /// What it asked to be told besides.
    var watches: [Watch] { leases.map(\.watch) }

    init(feed: EventFeed, _ subscription: Subscription, form: Form = .serverSentEvents, farewell: [UInt8] = []) {
        self.feed = feed
        self.form = form
        self.farewell = farewell
        leases = subscription.leases
        state = Mutex(State(cursor: feed.startingCursor(lastEventID: subscription.lastEventID, watches: subscription.leases.map(\.watch))))
    }

    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        feed.add(self)
        // What happened between the start and now has woken nobody.
        wake()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        state.withLock { state -> Int? in
            state.unreadSince = nil
            var count = 0
            while count < buffer.count, !state.isOver {
                guard let piece = state.current ?? next(&state) else { break }
                let length = min(buffer.count - count, piece.bytes.count - state.sent)
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: piece.bytes[state.sent..<(state.sent + length)])
                count += length
                state.sent += length
                if state.sent == piece.bytes.count {
                    if piece.isOwn { state.ownSize -= piece.bytes.count }
                    state.current = nil
                    state.sent = 0
                } else {
                    state.current = piece
                }
            }
            return count == 0 && state.isOver ? nil : count
        }
    }

    private func next(_ state: inout State) -> Piece? {
        if !state.isEnding, feed.isClosed {
            state.isEnding = true
            if !farewell.isEmpty {
                state.own.append(Piece(bytes: farewell, isOwn: true))
                state.ownSize += farewell.count
            }
        }
        if !state.isEnding, let frame = feed.next(&state.cursor, leases: leases) { return Piece(bytes: form.bytes(of: frame)) }
        guard !state.own.isEmpty else {
            state.isOver = state.isEnding
            return nil
        }
        return state.own.removeFirst()
    }

    func close() {
        state.withLock {
            $0.isOver = true
            $0.wake = nil
            $0.current = nil
            $0.own = []
        }
        feed.remove(self)
    }

    // MARK: For this client alone

    /// Sends bytes to this client, behind the events that there are. `isLast`: nothing follows them, and then the stream is over. `memory` is kept until
    /// the client has them.
    func push(_ bytes: [UInt8], isLast: Bool = false, memory: MemoryReservation? = nil) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isEnding, !state.isOver else { return nil }
            state.own.append(Piece(bytes: bytes, isOwn: true, memory: memory))
            state.ownSize += bytes.count
            state.isEnding = isLast
            return state.wake
        }
        wake?()
    }

    /// How much of what was pushed the client has not taken: pieces that wait, and bytes with those of the piece that is being sent.
    var pushed: (count: Int, size: Int) { state.withLock { ($0.own.count, $0.ownSize) } }

    // MARK: Waking

    /// There is something to read.
    func wake() {
        let wake = state.withLock { $0.wake }
        wake?()
    }

    /// Ends the stream where the client has left something unread for too long. Looked at now and then: what it leaves unread is noticed at one look,
    /// and counts from there.
    func dropIfUnread(at now: HostTime) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isOver, state.current != nil || !state.own.isEmpty || feed.hasMore(state.cursor) else { return nil }
            guard let since = state.unreadSince else {
                state.unreadSince = now
                return nil
            }
            guard now - since >= feed.limits.unreadTime else { return nil }
            state.isOver = true
            state.current = nil
            state.own = []
            return state.wake
        }
        guard let wake else { return }
        feed.remove(self)
        wake()
    }
}
