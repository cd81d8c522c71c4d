import Glibc
import RemoteControl
import Synchronization

/// A socket that libmicrohttpd has passed to the stream loop: for an event stream, a conversation (WebSocket), or a farewell (the last bytes of a
/// connection). A `StreamSocket` is used only on the stream loop's thread.
final class StreamSocket {
    enum Purpose {
        case events(any EventStream, StreamWaker)
        /// The socket carries a WebSocket: data is sent in both directions.
        case conversation(any DuplexStream, StreamWaker)
        /// The last bytes of the connection are sent on the socket, and the client's remaining input is discarded. Closing a socket while input is
        /// unread would reset the connection, and the answer might be lost (RFC 9112, 9.6).
        case farewell
    }

    /// The result of an attempt to send bytes to the client of an event stream or WebSocket.
    enum Outcome {
        case sent
        /// The client accepts no more bytes at present. The bytes that it did not accept are in `pending`.
        case blocked
        case gone
    }

    let descriptor: Int32
    private(set) var purpose: Purpose
    /// The bytes that were read from the event stream and have not been sent to the client.
    private(set) var pending: [UInt8] = []
    /// Whether the event stream has ended, so that only the bytes in `pending` are still sent.
    private(set) var isOver = false
    /// The start of the current wait for the client to read, in seconds of the monotonic clock. The wait begins again when bytes become pending, when
    /// the client accepts some bytes, and when the farewell begins.
    private(set) var waitingSince: Double
    /// Whether the client's socket may have unread input.
    private(set) var hasInput = false
    /// The number of bytes of the client's input that were received and discarded.
    private(set) var dropped = 0
    /// The index of this socket in the stream loop's list; -1 after the socket was closed.
    private(set) var position = 0
    private var pass: ConnectionPass?

    init(descriptor: Int32, purpose: Purpose, pass: ConnectionPass, now: Double) {
        self.descriptor = descriptor
        self.purpose = purpose
        self.pass = pass
        waitingSince = now
    }

    /// Records that the client's socket may have unread input.
    func noteInput() { hasInput = true }
    /// Records that the event stream has ended, so that only the bytes in `pending` are still sent.
    func noteEndOfStream() { isOver = true }
    /// Records the index of this socket in the stream loop's list; -1 after the socket was closed.
    func move(to position: Int) { self.position = position }

    var isBlocked: Bool { !pending.isEmpty }

    /// The event stream or conversation (WebSocket) of the socket, and the object that wakes it; nil for a farewell.
    var stream: (stream: any EventStream, waker: StreamWaker)? {
        switch purpose {
        case .events(let stream, let waker): (stream, waker)
        case .conversation(let stream, let waker): (stream, waker)
        case .farewell: nil
        }
    }

    /// Sends the pending bytes of the event stream to the client. If the result is `blocked`, `sendPending` must be called again after the client's
    /// socket has become writable.
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

    /// Sends bytes to the client, and stores in `pending` those bytes that the client does not accept. `StreamSocket.send` must not be called while
    /// bytes are pending.
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

    /// Reads the client's input from its socket, and discards it. Returns false if the client of the socket has disconnected.
    func dropInput(_ scratch: UnsafeMutableRawBufferPointer) -> Bool {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count > 0 { dropped += count }
        return count > 0 || count < 0 && Self.isTemporary(errno)
    }

    /// Reads the client's input from its socket. Returns no bytes if no input of the client is available now, and nil if the client has disconnected.
    func receive(into scratch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count < 0 {
            guard Self.isTemporary(errno) else { return nil }
            hasInput = errno == EINTR
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }

    /// Ends the event stream and the output of the socket, which then becomes a farewell: the client's input is only read and discarded.
    func startLingeringClose(now: Double) {
        endStream()
        purpose = .farewell
        waitingSince = now
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket and its event stream.
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
