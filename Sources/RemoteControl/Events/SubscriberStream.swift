import PlaybackEngine
import Synchronization

/// One client's view of the feed: a cursor, and the frame of which a part has been sent.
final class SubscriberStream: EventStream {
    private struct State {
        var cursor: EventCursor
        var frame: EventFrame?
        /// How much of `frame` has been sent.
        var sent = 0
        var wake: (@Sendable () -> Void)?
        /// Since when the client is known to leave something unread.
        var unreadSince: HostTime?
        var isOver = false
    }

    private let feed: EventFeed
    private let lease: TickLease?
    private let state: Mutex<State>

    var tick: TickInterval? { lease?.interval }

    init(feed: EventFeed, lastEventID: String?, lease: TickLease?) {
        self.feed = feed
        self.lease = lease
        state = Mutex(State(cursor: feed.startingCursor(lastEventID: lastEventID, tick: lease?.interval)))
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
            while count < buffer.count, !state.isOver, !feed.isClosed {
                guard let frame = state.frame ?? feed.next(&state.cursor, tick: tick) else { return count }
                let length = min(buffer.count - count, frame.bytes.count - state.sent)
                let part = frame.bytes[state.sent..<(state.sent + length)]
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: part)
                count += length
                state.sent += length
                if state.sent == frame.bytes.count {
                    state.frame = nil
                    state.sent = 0
                } else {
                    state.frame = frame
                }
            }
            return count == 0 && (state.isOver || feed.isClosed) ? nil : count
        }
    }

    func close() {
        state.withLock {
            $0.isOver = true
            $0.wake = nil
            $0.frame = nil
        }
        feed.remove(self)
    }

    /// There is something to read.
    func wake() {
        let wake = state.withLock { $0.wake }
        wake?()
    }

    /// Ends the stream where the client has left something unread for too long. Looked at now and then: what it leaves unread is noticed at one look,
    /// and counts from there.
    func dropIfUnread(at now: HostTime) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isOver, state.frame != nil || feed.hasMore(state.cursor) else { return nil }
            guard let since = state.unreadSince else {
                state.unreadSince = now
                return nil
            }
            guard now - since >= feed.limits.unreadTime else { return nil }
            state.isOver = true
            state.frame = nil
            return state.wake
        }
        guard let wake else { return }
        feed.remove(self)
        wake()
    }
}
