import Foundation
import Glibc
import Synchronization

/// Accepts connections at a free port of the loopback address. Each connection has a thread of its own.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let listener: Int32
    private let connections = Mutex((count: 0, open: [Int32]()))

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// The number of connections so far.
    var count: Int { connections.withLock { $0.count } }

    /// Begins to accept connections. `serve` gets the descriptor of each connection, which is closed when `serve` returns.
    func start(_ serve: @escaping @Sendable (Int32) -> Void) { Thread.detachNewThread { [self] in run(serve) } }

    /// Ends all connections, and accepts no further ones.
    func stop() {
        // The listener's thread closes the listener's descriptor. If it were closed here, another server's listener might get the same number, and
        // the thread would accept the connections of that server.
        shutdown(listener, Int32(SHUT_RDWR))
        connections.withLock { $0.open.forEach { _ = shutdown($0, Int32(SHUT_RDWR)) } }
    }

    private func run(_ serve: @escaping @Sendable (Int32) -> Void) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else {
                close(listener)
                return
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            connections.withLock { connections in
                connections.open.append(connection)
                connections.count += 1
            }
            Thread.detachNewThread { [self] in
                serve(connection)
                connections.withLock { $0.open.removeAll { $0 == connection } }
                // A child process of another test that is being started may have a copy of the descriptor, which would keep the connection open.
                shutdown(connection, Int32(SHUT_WR))
                close(connection)
            }
        }
    }
}
