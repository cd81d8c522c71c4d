import Platform
import PlaybackEngine
import Synchronization

/// A client's request for events. When the request is released, its leases end.
struct EventSubscription: Sendable {
    var lastEventID: String?
    var types = EventTypes.all
    var stateForm = StateForm.whole
    var leases: [WatchLease] = []
}

/// One client's stream of events: a cursor into the event broadcast, the bytes that are being sent, and the answers for this client alone.
final class SubscriberStream: EventStream {
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

    /// Bytes that are sent as a unit. The memory for them stays reserved until they are sent.
    private struct Piece {
        let bytes: [UInt8]
        var isOwn = false
        var memory: MemoryReservation?
    }

    private struct State {
        var cursor: EventCursor
        /// The piece that is being sent; `sent` bytes of it were already given to the server.
        var current: Piece?
        var sent = 0
        /// The pushed pieces, which wait until all available events have been sent.
        var own: [Piece] = []
        /// The size of all pushed pieces that are not completely sent, in bytes, including `current`.
        var ownSize = 0
        var wake: (@Sendable () -> Void)?
        /// The time at which `dropIfUnread` first found unread data after the last `read`.
        var unreadSince: HostTime?
        /// Whether the stream ends after `current` and `own` are sent.
        var isEnding = false
        var isOver = false
    }

    private let broadcast: EventBroadcast
    private let leases: [WatchLease]
    private let form: Form
    /// The bytes that are sent last if the server stops.
    private let farewell: [UInt8]
    private let state: Mutex<State>

    var watches: [Watch] { leases.map(\.watch) }

    init(broadcast: EventBroadcast, _ subscription: EventSubscription, form: Form = .serverSentEvents, farewell: [UInt8] = []) {
        self.broadcast = broadcast
        self.form = form
        self.farewell = farewell
        leases = subscription.leases
        state = Mutex(State(cursor: broadcast.startingCursor(subscription)))
    }

    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        broadcast.add(self)
        // Events between the creation of the cursor and `add` have not woken the stream.
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
        if !state.isEnding, broadcast.isClosed {
            state.isEnding = true
            if !farewell.isEmpty {
                state.own.append(Piece(bytes: farewell, isOwn: true))
                state.ownSize += farewell.count
            }
        }
        if !state.isEnding, let frame = broadcast.next(&state.cursor, leases: leases) { return Piece(bytes: form.bytes(of: frame)) }
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
        broadcast.remove(self)
    }

    // MARK: For this client alone

    /// Sends bytes to this client alone, after the available events.
    /// - Parameter memory: The reservation for the bytes, released when they are sent.
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

    /// The number of pushed pieces that wait, and the size of all that are not completely sent, in bytes.
    var pushed: (count: Int, size: Int) { state.withLock { ($0.own.count, $0.ownSize) } }

    // MARK: Waking

    func wake() {
        let wake = state.withLock { $0.wake }
        wake?()
    }

    /// Ends the stream if data has waited for `unreadTime` seconds without a `read`. Called at each heartbeat.
    func dropIfUnread(at now: HostTime) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isOver, state.current != nil || !state.own.isEmpty || broadcast.hasMore(state.cursor) else { return nil }
            guard let since = state.unreadSince else {
                state.unreadSince = now
                return nil
            }
            guard now - since >= broadcast.limits.unreadTime else { return nil }
            state.isOver = true
            state.current = nil
            state.own = []
            return state.wake
        }
        guard let wake else { return }
        broadcast.remove(self)
        wake()
    }
}
