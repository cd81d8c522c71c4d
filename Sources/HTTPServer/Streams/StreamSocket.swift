import Glibc
import RemoteControl
import Synchronization

/// A socket of the stream loop, for an event stream, a conversation (WebSocket), or a farewell. Used only on the loop's thread.
final class StreamSocket {
    enum Purpose {
        case events(any EventStream, StreamWaker)
        case conversation(any DuplexStream, StreamWaker)
        /// The last bytes are sent. Remaining input is discarded, because a close with unread input would reset the connection (RFC 9112, 9.6).
        case farewell
    }

    enum Outcome {
        case sent
        /// The client accepts no more bytes for now; the rest is in `pending`.
        case blocked
        case gone
    }

    let descriptor: Int32
    private(set) var purpose: Purpose
    /// The bytes that were read from the stream, but not sent.
    private(set) var pending: [UInt8] = []
    /// Whether the stream has ended, and only `pending` is still sent.
    private(set) var isOver = false
    /// The start of the wait, in seconds of the monotonic clock. Set when bytes become pending or are accepted, and when a farewell starts.
    private(set) var waitingSince: Double
    /// Whether the socket may have unread input.
    private(set) var hasInput = false
    /// The number of bytes of input that were received and discarded.
    private(set) var dropped = 0
    /// The index in the loop's list; -1 after the close.
    private(set) var position = 0
    private var pass: ConnectionPass?

    init(descriptor: Int32, purpose: Purpose, pass: ConnectionPass, now: Double) {
        self.descriptor = descriptor
        self.purpose = purpose
        self.pass = pass
        waitingSince = now
    }

    func noteInput() { hasInput = true }
    func noteEndOfStream() { isOver = true }
    func move(to position: Int) { self.position = position }

    var isBlocked: Bool { !pending.isEmpty }

    /// The stream and its waker; nil for a farewell.
    var stream: (stream: any EventStream, waker: StreamWaker)? {
        switch purpose {
        case .events(let stream, let waker): (stream, waker)
        case .conversation(let stream, let waker): (stream, waker)
        case .farewell: nil
        }
    }

    /// Sends the pending bytes. After `blocked`, it is called again when the socket is writable.
    func sendPending(now: Double) -> Outcome {
        guard isBlocked else { return .sent }
        let count = pending.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count >= 0 else { return Self.isTemporary(errno) ? .blocked : .gone }
        waitingSince = now
        guard count < pending.count else {
            pending = []
            return .sent
        }
        pending.removeFirst(count)
        return .blocked
    }

    /// Sends bytes, and keeps in `pending` those that the kernel does not accept. Not called while bytes are pending.
    func send(_ bytes: UnsafeRawBufferPointer, now: Double) -> Outcome {
        var count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count < 0 {
            guard Self.isTemporary(errno) else { return .gone }
            count = 0
        }
        guard count < bytes.count else { return .sent }
        pending = Array(bytes[count...])
        waitingSince = now
        return .blocked
    }

    /// Discards input. Returns false if the client has disconnected.
    func dropInput(_ scratch: UnsafeMutableRawBufferPointer) -> Bool {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count > 0 { dropped += count }
        return count > 0 || count < 0 && Self.isTemporary(errno)
    }

    /// Reads input; empty if nothing is available now, nil if the client has disconnected.
    func receive(into scratch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count < 0 {
            guard Self.isTemporary(errno) else { return nil }
            hasInput = errno == EINTR
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }

    /// Ends the stream, and turns the socket into a farewell: input is only read and discarded.
    func startLingeringClose(now: Double) {
        endStream()
        purpose = .farewell
        waitingSince = now
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        Glibc.close(descriptor)
        pass = nil
        endStream()
    }

    private func endStream() {
        guard let (stream, waker) = stream else { return }
        waker.position.store(-1, ordering: .relaxed)
        stream.close()
    }

    private static func isTemporary(_ code: Int32) -> Bool { code == EAGAIN || code == EINTR }
}
