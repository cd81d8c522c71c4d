import Glibc
import RemoteControl
import Synchronization

/// A socket that libmicrohttpd has passed on: an event stream, a conversation, or a farewell. For the loop's thread alone.
final class StreamSocket {
    enum Purpose {
        case events(any EventStream, StreamWaker)
        /// Data flows in both directions.
        case conversation(any DuplexStream, StreamWaker)
        /// The answer is complete, and the client's remaining input is discarded. Closing with unread bytes would reset the connection, and the
        /// answer may then be lost (RFC 9112, 9.6).
        case farewell
    }

    /// The result of an attempt to send.
    enum Outcome {
        case sent
        /// The client accepts no more at present; `pending` holds the rest.
        case blocked
        case gone
    }

    let descriptor: Int32
    private(set) var purpose: Purpose
    /// Bytes that were read from the stream and not yet sent.
    private(set) var pending: [UInt8] = []
    /// Whether the stream has ended, and only `pending` remains to be sent.
    private(set) var isOver = false
    /// The start of the current wait, in seconds of the monotonic clock: when bytes became pending, when the client last accepted some of them, or
    /// when the farewell began.
    private(set) var waitingSince: Double
    /// Whether input from the client may be available.
    private(set) var hasInput = false
    /// The number of bytes of input that were discarded.
    private(set) var dropped = 0
    /// The index in the loop's list; -1 after the socket was closed.
    private(set) var position = 0
    private var pass: ConnectionPass?

    init(descriptor: Int32, purpose: Purpose, pass: ConnectionPass, now: Double) {
        self.descriptor = descriptor
        self.purpose = purpose
        self.pass = pass
        waitingSince = now
    }

    /// Records that input from the client may be available.
    func noteInput() { hasInput = true }
    /// Records that the stream has ended, so that only `pending` is still sent.
    func noteEndOfStream() { isOver = true }
    /// Records the index in the loop's list; -1 after the socket was closed.
    func move(to position: Int) { self.position = position }

    var isBlocked: Bool { !pending.isEmpty }

    /// The stream, and the object that wakes it; nil for a farewell.
    var stream: (stream: any EventStream, waker: StreamWaker)? {
        switch purpose {
        case .events(let stream, let waker): (stream, waker)
        case .conversation(let stream, let waker): (stream, waker)
        case .farewell: nil
        }
    }

    /// Sends the pending bytes. If it returns `blocked`, call it again when the socket is writable.
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

    /// Sends bytes, and stores in `pending` what the client does not accept. Nothing may be pending before.
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

    /// Reads and discards input. Returns false if the client has disconnected.
    func dropInput(_ scratch: UnsafeMutableRawBufferPointer) -> Bool {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count > 0 { dropped += count }
        return count > 0 || count < 0 && Self.isTemporary(errno)
    }

    /// Reads input. Returns no bytes if none are available now, nil if the client has disconnected.
    func receive(into scratch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count < 0 {
            guard Self.isTemporary(errno) else { return nil }
            hasInput = errno == EINTR
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }

    /// Ends the stream and the output. The client's remaining input is still read.
    func startLingeringClose(now: Double) {
        endStream()
        purpose = .farewell
        waitingSince = now
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket and its stream.
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
