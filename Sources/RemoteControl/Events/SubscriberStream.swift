import Platform
import PlaybackEngine
import Synchronization

/// A client's request for events: the last event that the client received, and the unnumbered events that it wants. Releasing a subscription ends its
/// leases (requests for watches).
struct Subscription: Sendable {
    var lastEventID: String?
    /// The types of events that the client requested.
    var types = EventTypes.all
    /// The form of the events about changes of the state that the client requested.
    var stateForm = StateForm.whole
    /// The leases (`WatchLease`) of the watches that the client requested: ticks, boundaries and the buffer.
    var leases: [WatchLease] = []
}

/// One client's stream of events: a cursor into the event feed, and the bytes that are partly sent.
final class SubscriberStream: EventStream {
    /// The form in which the stream sends its events.
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

    /// Bytes that are sent as a unit (an event or a pushed answer), and the memory reserved for these bytes until they are sent.
    private struct Piece {
        let bytes: [UInt8]
        var isOwn = false
        var memory: MemoryReservation?
    }

    private struct State {
        var cursor: EventCursor
        /// The piece (an event or a pushed answer) that is being sent; nil if there is none. `sent` is the number of its bytes that were already
        /// sent.
        var current: Piece?
        var sent = 0
        /// The pieces for this client alone (answers, control frames), in order. The client's own pieces wait until the available events are sent.
        var own: [Piece] = []
        /// The size of all pieces for this client alone, in bytes: the pieces that wait in `own`, and the piece that is being sent.
        var ownSize = 0
        var wake: (@Sendable () -> Void)?
        /// The time at which unread data of the client was first found after its last read; nil if no unread data was found.
        var unreadSince: HostTime?
        /// Whether the stream ends after the bytes that wait in `current` and `own` are sent.
        var isEnding = false
        var isOver = false
    }

    private let feed: EventFeed
    private let leases: [WatchLease]
    private let form: Form
    /// The bytes that are sent last if the server stops.
    private let farewell: [UInt8]
    private let state: Mutex<State>

    /// The watches (kinds of unnumbered events) that the client requested.
    var watches: [Watch] { leases.map(\.watch) }

    init(feed: EventFeed, _ subscription: Subscription, form: Form = .serverSentEvents, farewell: [UInt8] = []) {
        self.feed = feed
        self.form = form
        self.farewell = farewell
        leases = subscription.leases
        state = Mutex(State(cursor: feed.startingCursor(subscription)))
    }

    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        feed.add(self)
        // The new stream is woken once now, because it was not woken for events that were published after its cursor was created and before the
        // stream was added.
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

    /// Sends bytes to this client alone, after the available events.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that are sent to the client.
    ///   - isLast: Whether the event stream ends after `bytes`.
    ///   - memory: The memory reservation of the bytes, which is held until they are sent.
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

    /// The number of pushed pieces that wait to be sent, and the size, in bytes, of all pushed pieces that are not completely sent.
    var pushed: (count: Int, size: Int) { state.withLock { ($0.own.count, $0.ownSize) } }

    // MARK: Waking

    /// Notifies the server that data is available for the stream.
    func wake() {
        let wake = state.withLock { $0.wake }
        wake?()
    }

    /// Ends the stream if the client has not read for `unreadTime`. `dropIfUnread` is called periodically. The measured time begins at the first call
    /// that finds unread data.
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
