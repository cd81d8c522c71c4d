import Glibc
import Platform
import PlaybackEngine

/// A TCP connection to a network address. `TCPStream` never looks up a name. Every wait ends when the interrupt is raised, or at its deadline.
final class TCPStream: TLSTransport {
    private let interrupt: Interrupt
    private let clock = MonotonicClock()
    private var descriptor: Int32 = -1
    /// The network address to which the connection leads; nil only before it is established.
    private(set) var address: NetworkAddress?
    /// The host time at which the present wait of the connection ends.
    private var deadline: HostTime
    /// The last error of the TCP connection. It is stored, because a TLS session reports only that there was an error.
    private var lastFailure: PlaybackError?
    /// The longest wait in the kernel before the interrupt is looked at again, in milliseconds.
    private static let slice: Int32 = 20
    /// The longest time that an attempt to connect to an address may take if another address follows, in seconds.
    private static let addressLimit = 4.0

    /// Connects to the first of the network addresses `addresses` that answers before the host time `deadline`.
    init(_ addresses: [NetworkAddress], port: UInt16, interrupt: Interrupt, deadline: HostTime) throws(PlaybackError) {
        self.interrupt = interrupt
        self.deadline = deadline
        var failure = ENETUNREACH
        for (index, address) in addresses.enumerated() {
            let isLast = index == addresses.count - 1
            failure = open(address, port: port, until: isLast ? deadline : min(deadline, clock.now + TCPStream.addressLimit))
            if failure == 0 {
                self.address = address
                return
            }
            if interrupt.isRaised { throw .cancelled }
            if clock.now >= deadline { break }
        }
        throw PlaybackError(
            .network, failure == ETIMEDOUT ? "The server did not respond in time." : "The server could not be reached.",
            reason: failure == ETIMEDOUT ? .noAnswer : .cannotConnect, underlying: PlaybackError.Underlying(errno: failure))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sets the host time at which waits of the connection end with the error `silent`. The connection can be used further after such an error.
    func setDeadline(_ time: HostTime) { deadline = time }

    /// Connects to an address. Returns 0, or the number of the system's error.
    private func open(_ address: NetworkAddress, port: UInt16, until limit: HostTime) -> Int32 {
        let family = address.bytes.count == 4 ? AF_INET : AF_INET6
        let made = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard made >= 0 else { return errno }
        var failure = address.withSocketAddress(port: port) { connect(made, $0, $1) == 0 ? 0 : errno }
        if failure == EINPROGRESS {
            failure = ready(made, Int16(POLLOUT), until: limit)
            var code: Int32 = 0, size = socklen_t(MemoryLayout<Int32>.size)
            if failure == 0 { failure = getsockopt(made, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno }
        }
        guard failure == 0 else {
            close(made)
            return failure
        }
        var one: Int32 = 1
        setsockopt(made, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        descriptor = made
        return 0
    }

    /// Waits until a descriptor can be read or written. Returns 0, or the number of the error: `ETIMEDOUT` at the end of the time, `ECANCELED` after
    /// an interrupt.
    private func ready(_ descriptor: Int32, _ events: Int16, until limit: HostTime) -> Int32 {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            if interrupt.isRaised { return ECANCELED }
            let left = limit - clock.now
            guard left > 0 else { return poll(&entry, 1, 0) > 0 ? 0 : ETIMEDOUT }
            let count = poll(&entry, 1, min(TCPStream.slice, Int32(left * 1000) + 1))
            if count > 0 { return 0 }
            if count < 0, errno != EINTR { return errno }
        }
    }

    /// Sends all of `bytes` over the connection to the server.
    func write(_ bytes: [UInt8]) throws(PlaybackError) {
        if !bytes.withUnsafeBytes({ send($0) }) { throw lastFailure ?? TCPStream.lost(EPIPE) }
    }

    /// Reads the bytes that have arrived from the server, at least one, and returns their number; 0 at the end of the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        guard let count = receive(into: buffer) else { throw lastFailure ?? TCPStream.lost(EPIPE) }
        return count
    }

    /// Reads the bytes that have arrived from the server, at least one and at most `count`; an empty array at the end of the connection.
    func read(upTo count: Int) throws(PlaybackError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { buffer.deallocate() }
        return Array(buffer[..<(try read(into: buffer))])
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lastFailure = nil
        var done = 0
        while done < bytes.count {
            let count = Glibc.send(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, Int32(MSG_NOSIGNAL))
            if count >= 0 {
                done += count
                continue
            }
            if !waits(for: Int16(POLLOUT), after: errno) { return false }
        }
        return true
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard buffer.count > 0 else { return 0 }
        lastFailure = nil
        while true {
            if interrupt.isRaised {
                lastFailure = .cancelled
                return nil
            }
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if !waits(for: Int16(POLLIN), after: errno) { return nil }
        }
    }

    /// Waits after a call that failed with the system's error `code` until the call can be repeated. If it cannot, stores the error in `lastFailure`,
    /// and returns false.
    private func waits(for events: Int16, after code: Int32) -> Bool {
        if code == EINTR { return true }
        let failure = code == EAGAIN || code == EWOULDBLOCK ? ready(descriptor, events, until: deadline) : code
        if failure == 0 { return true }
        lastFailure = failure == ECANCELED ? .cancelled : failure == ETIMEDOUT && code != ETIMEDOUT ? .silent : TCPStream.lost(failure)
        return false
    }

    /// Returns the reason why a TLS session over this TCP connection failed with `error`.
    func reason(for error: PlaybackError) -> PlaybackError { interrupt.isRaised ? .cancelled : lastFailure ?? error }

    /// Whether the last call ended at the deadline without a byte (`silent`) or after an interrupt (`cancelled`), so that the call can be repeated.
    var isOnlyLate: Bool { lastFailure == .silent || lastFailure?.code == .cancelled }

    /// Whether the server has closed the idle connection, or has sent bytes that were not requested.
    var isStale: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    private static func lost(_ code: Int32) -> PlaybackError {
        PlaybackError(
            .network, code == ETIMEDOUT ? "The server did not respond in time." : "The connection to the server was lost.",
            reason: code == ETIMEDOUT ? .noAnswer : .connectionLost, underlying: PlaybackError.Underlying(errno: code))
    }
}

extension PlaybackError {
    /// The error of a connection on which no byte arrived in time.
    static let silent = PlaybackError(.network, "The server sends no data.", reason: .noAnswer, underlying: Underlying(errno: ETIMEDOUT))
    /// The error of a connection that ended within a response.
    static let connectionLost = PlaybackError(
        .network, "The connection to the server was lost.", reason: .connectionLost, underlying: Underlying(errno: ECONNRESET))
    /// The error of a medium that has another content than before.
    static let changed = PlaybackError(.network, "The medium has changed on the server since playback started.", reason: .changed)
}

extension NetworkAddress {
    /// Calls `body` with the system's form of the network address and a port.
    func withSocketAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let size: Int
        if bytes.count == 4 {
            size = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { raw in
                raw.withMemoryRebound(to: sockaddr_in.self) { list in
                    list[0].sin_family = sa_family_t(AF_INET)
                    list[0].sin_port = port.bigEndian
                    withUnsafeMutableBytes(of: &list[0].sin_addr) { $0.copyBytes(from: bytes) }
                }
            }
        } else {
            size = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { raw in
                raw.withMemoryRebound(to: sockaddr_in6.self) { list in
                    list[0].sin6_family = sa_family_t(AF_INET6)
                    list[0].sin6_port = port.bigEndian
                    withUnsafeMutableBytes(of: &list[0].sin6_addr) { $0.copyBytes(from: bytes.prefix(16)) }
                }
            }
        }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }
}
