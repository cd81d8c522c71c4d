import Glibc
import RemoteControl
import Synchronization

/// A socket that has left libmicrohttpd: a client's event stream, a conversation, or a farewell. For the loop's thread alone.
final class StreamSocket {
    enum Purpose {
        case events(any EventStream, StreamWaker)
        /// Both sides talk.
        case conversation(any DuplexStream, StreamWaker)
        /// The answer is complete; what the client still sends is read and dropped: to close with unread bytes resets the connection, and the answer
        /// may be lost with it (RFC 9112, 9.6).
        case farewell
    }

    /// What became of an attempt to send.
    enum Outcome {
        case sent
        /// The client takes no more for now; `pending` holds the rest.
        case blocked
        case gone
    }

    let descriptor: Int32
    private(set) var purpose: Purpose
    /// Taken from the stream, and not yet by the client.
    private(set) var pending: [UInt8] = []
    /// Whether the stream has ended and only `pending` is left of it.
    var isOver = false
    /// When the client last took something while bytes waited for it, or the farewell began; in seconds of the monotonic clock.
    private(set) var waitingSince: Double
    /// Whether bytes of the client may be there to be received.
    var hasInput = false
    /// How many bytes of the client have been read and dropped.
    private(set) var dropped = 0
    /// The place in the loop's list; -1 once it is closed.
    var position = 0
    private var pass: ConnectionPass?

    init(descriptor: Int32, purpose: Purpose, pass: ConnectionPass, now: Double) {
        self.descriptor = descriptor
        self.purpose = purpose
        self.pass = pass
        waitingSince = now
    }

    var isBlocked: Bool { !pending.isEmpty }

    /// The stream that is sent, and what wakes it; nil for a farewell.
    var stream: (stream: any EventStream, waker: StreamWaker)? {
        switch purpose {
        case .events(let stream, let waker): (stream, waker)
        case .conversation(let stream, let waker): (stream, waker)
        case .farewell: nil
        }
    }

    /// Sends what waits; call again when the socket has room.
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

    /// Sends bytes at once and keeps what the client does not take. Nothing may be pending.
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

    /// Reads and drops what the client sends. False where it has left.
    func dropInput(_ scratch: UnsafeMutableRawBufferPointer) -> Bool {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count > 0 { dropped += count }
        return count > 0 || count < 0 && Self.isTemporary(errno)
    }

    /// Reads what the client sends: none where nothing is there now; nil where it has left.
    func receive(into scratch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count < 0 {
            guard Self.isTemporary(errno) else { return nil }
            hasInput = errno == EINTR
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }

    /// Ends the stream and says nothing more, but lets the client's last words come.
    func bidFarewell(now: Double) {
        endStream()
        purpose = .farewell
        waitingSince = now
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket, and the stream behind it.
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
