import Glibc
import Platform

/// A connection of `tonearm remote` to a daemon, which transfers bytes in both directions.
protocol ByteChannel: AnyObject {
    /// Writes all of `bytes` to the daemon. If the daemon has closed the connection or has already responded, the rest of `bytes` is discarded
    /// without an error, because the daemon's response can still be read. Throws if the daemon neither accepts bytes nor responds in time. `write`
    /// blocks.
    func write(_ bytes: [UInt8]) throws(RemoteFailure)
    /// Returns the bytes that have arrived from the daemon, at least one; an empty array at the end of the connection. `read` blocks, at most until
    /// `deadline`.
    func read(until deadline: HostTime) throws(RemoteFailure) -> [UInt8]
}

/// A TCP connection to a daemon. Only one thread may use a `SocketChannel`.
final class SocketChannel: ByteChannel {
    /// The time limit for opening a connection, and for each wait until the daemon accepts more bytes, in seconds.
    static let connectTimeout = 5.0

    private let descriptor: Int32
    private let address: RemoteAddress
    private let clock: any HostClock

    /// Makes a channel from an open socket, which is closed when the channel is released.
    init(descriptor: Int32, address: RemoteAddress, clock: any HostClock = MonotonicClock()) {
        self.descriptor = descriptor
        self.address = address
        self.clock = clock
    }

    deinit { close(descriptor) }

    /// Connects to a daemon. If the host has several addresses, they are tried one after the other.
    static func connect(to address: RemoteAddress, clock: any HostClock = MonotonicClock()) throws(RemoteFailure) -> SocketChannel {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &first)
        guard code == 0, let first else {
            throw RemoteFailure(.unreachable, "the address of \(address.host) cannot be found: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(first) }
        var next: UnsafeMutablePointer<addrinfo>? = first
        var error = ECONNREFUSED
        while let candidate = next?.pointee {
            next = candidate.ai_next
            let descriptor = socket(candidate.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else {
                error = errno
                continue
            }
            let channel = SocketChannel(descriptor: descriptor, address: address, clock: clock)
            // The time limit for sending on a socket also limits the time for connecting it (socket(7)).
            var limit = timeval(tv_sec: Int(connectTimeout), tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            if Glibc.connect(descriptor, candidate.ai_addr, candidate.ai_addrlen) == 0 { return channel }
            error = errno == EINPROGRESS ? ETIMEDOUT : errno
        }
        throw RemoteFailure(
            .unreachable, "no daemon responds at \(address): \(String(cString: strerror(error))); \"tonearm serve\" starts one")
    }

    func write(_ bytes: [UInt8]) throws(RemoteFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN, !hasInput {
                throw RemoteFailure(.unreachable, "the server at \(address) does not accept the request in time")
            }
            // A server that refuses a request may close the connection before it has read the whole request. The server's response can still be read.
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Whether bytes or the end of the connection have arrived from the daemon.
    private var hasInput: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }

    func read(until deadline: HostTime) throws(RemoteFailure) -> [UInt8] {
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(max(0, min(3_600_000, ((deadline - clock.now) * 1000).rounded(.up))))
            let ready = poll(&waiting, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw RemoteFailure(.unreachable, "the server at \(address) does not respond in time") }
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw RemoteFailure(.unreachable, "the connection to \(address) failed: \(String(cString: strerror(errno)))")
            }
            return Array(bytes[..<count])
        }
    }
}
