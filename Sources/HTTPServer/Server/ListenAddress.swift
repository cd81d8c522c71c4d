import Glibc
import Platform

/// A numeric address and a port, such as `127.0.0.1:7711` or `[::1]:7711`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The numeric address, without brackets.
    public let host: String
    /// The port; 0 asks the system for a free port.
    public let port: UInt16
    /// Whether only clients of this machine can connect.
    public let isLoopback: Bool
    /// Whether the address stands for every network interface (`0.0.0.0`, `::`).
    public let isUnspecified: Bool

    /// Parses `ADDRESS:PORT`, with brackets around IPv6. `localhost` means 127.0.0.1. Throws `ServerError.malformedAddress`.
    public init(_ text: String) throws(ServerError) {
        guard let colon = text.lastIndex(of: ":") else { throw .malformedAddress(text) }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(digits) else { throw .malformedAddress(text) }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { throw .malformedAddress(text) }
        } else if host.contains(":") {
            throw .malformedAddress(text)
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard let address = SocketAddress(numericHost: host, port: port) else {
            throw .malformedAddress(text)
        }
        self.init(address)
    }

    init(_ address: SocketAddress) {
        host = address.numericHost
        port = address.port
        isLoopback = address.key.isLoopback
        isUnspecified = address.key.isUnspecified
    }

    /// `host:port`, with brackets around IPv6.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A socket that is bound and listens; closed when released, unless its descriptor was taken.
struct ListeningSocket: ~Copyable {
    private(set) var descriptor: Int32
    let address: ListenAddress

    /// Binds the address, and listens. `::` also accepts IPv4.
    init(_ wanted: ListenAddress) throws(ServerError) {
        guard let target = SocketAddress(numericHost: wanted.host, port: wanted.port) else { throw .malformedAddress(wanted.description) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(target.isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw .system(SystemError(operation: "socket", code: errno)) }

        // Without this option, a restart would fail until the former connections have timed out.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if target.isIPv6 {
            var onlyIPv6: Int32 = wanted.isUnspecified ? 0 : 1
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &onlyIPv6, socklen_t(MemoryLayout<Int32>.size))
        }
        guard target.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 4096) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            switch code {
            case EADDRINUSE: throw .addressInUse(wanted.description)
            case EADDRNOTAVAIL: throw .addressNotAvailable(wanted.description)
            case EACCES: throw .permissionDenied(wanted.description)
            default: throw .system(SystemError(operation: "bind", code: code))
            }
        }
        guard let bound = SocketAddress(boundTo: descriptor) else {
            let code = errno
            Glibc.close(descriptor)
            throw .system(SystemError(operation: "getsockname", code: code))
        }
        self.descriptor = descriptor
        address = ListenAddress(bound)
    }

    /// Returns the descriptor, which the caller must close.
    consuming func take() -> Int32 {
        let taken = descriptor
        descriptor = -1
        return taken
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
