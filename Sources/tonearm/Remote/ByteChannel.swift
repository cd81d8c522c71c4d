import Glibc
import Platform

/// A connection of `tonearm remote` to a daemon.
protocol ByteChannel: AnyObject {
    /// Sends the bytes. If the daemon has closed the connection or responded, the rest is discarded, because its response can still be read. Throws
    /// if it neither accepts bytes nor responds in time. Blocks.
    func write(_ bytes: [UInt8]) throws(RemoteFailure)
    /// Returns at least one byte, or none at the end. Blocks until `deadline` at most.
    func read(until deadline: HostTime) throws(RemoteFailure) -> [UInt8]
}

/// A TCP connection for one thread.
final class SocketChannel: ByteChannel {
    /// The limit for opening, and for each wait until the daemon accepts more, in seconds.
    static let connectTimeout = 5.0

    private let descriptor: Int32
    private let address: RemoteAddress
    private let clock: any HostClock

    /// Closes the socket when released.
    init(descriptor: Int32, address: RemoteAddress, clock: any HostClock = MonotonicClock()) {
        self.descriptor = descriptor
        self.address = address
        self.clock = clock
    }

    deinit { close(descriptor) }

    /// Connects; several addresses are tried one after the other.
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
            // The limit for sending also limits connecting (socket(7)).
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
            // A server that refuses may close before it has read everything; its response can still be read.
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Whether bytes or the end have arrived.
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
