import Glibc
import Platform

/// Bound and listening; closed when released, unless its descriptor was taken.
struct ListeningSocket: ~Copyable {
    private(set) var descriptor: Int32
    let address: ListenAddress

    /// `::` also accepts IPv4.
    init(_ wanted: ListenAddress) throws(ServerError) {
        guard let target = SocketAddress(numericHost: wanted.host, port: wanted.port) else { throw .malformedAddress(wanted.description) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(target.isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw .system(SystemError(operation: "socket", code: errno)) }

        // Otherwise a restart would fail until the former connections have timed out.
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

    /// The caller must close it.
    consuming func take() -> Int32 {
        let taken = descriptor
        descriptor = -1
        return taken
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
