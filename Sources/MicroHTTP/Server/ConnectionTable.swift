import CLinux
import Glibc
import Synchronization

/// All connections of the HTTP server: their number in total and from each network (`AddressKey.network`), and those that can become overdue. Any
/// thread may use `ConnectionTable`.
final class ConnectionTable: Sendable {
    private struct Content {
        var count = 0
        var perNetwork: [AddressKey: Int] = [:]
        var watched: [ObjectIdentifier: ConnectionWatch] = [:]
    }

    private let content = Mutex(Content())
    private let limit: Int
    private let limitPerNetwork: Int
    private let limitOfLoopback: Int
    private let limitOfProxy: Int
    private let isProxy: @Sendable (String) -> Bool
    /// The maximum ages of three phases of a connection, as numbers of sweeps (searches for overdue connections): the receiving of a request, the
    /// sending of an answer, and the pause after an answer.
    private let sweepsPerRequest: UInt32
    private let sweepsPerResponse: UInt32
    private let sweepsPerPause: UInt32
    private let sweeps = Atomic<UInt32>(1)
    private let watching = Atomic(0)

    init(
        limit: Int, limitPerNetwork: Int, limitOfLoopback: Int = .max, limitOfProxy: Int = .max,
        isProxy: @escaping @Sendable (String) -> Bool = { _ in false }, sweepsPerRequest: UInt32, sweepsPerResponse: UInt32, sweepsPerPause: UInt32
    ) {
        self.limit = limit
        self.limitPerNetwork = limitPerNetwork
        self.limitOfLoopback = limitOfLoopback
        self.limitOfProxy = limitOfProxy
        self.isProxy = isProxy
        self.sweepsPerRequest = sweepsPerRequest
        self.sweepsPerResponse = sweepsPerResponse
        self.sweepsPerPause = sweepsPerPause
    }

    /// Whether one more connection from an address is permitted.
    func admits(_ address: SocketAddress) -> Bool {
        let (key, maximum) = share(of: address)
        return content.withLock { $0.count < limit && $0.perNetwork[key, default: 0] < maximum }
    }

    /// Returns the key under which connections from an address are counted, and their maximum number. A proxy is counted apart from the other
    /// addresses in its network.
    private func share(of address: SocketAddress) -> (key: AddressKey, maximum: Int) {
        let key = address.key
        if key.isLoopback { return (key, limitOfLoopback) }
        return isProxy(address.numericHost) ? (key, limitOfProxy) : (key.network, limitPerNetwork)
    }

    /// Counts a connection from an address. The connection is counted until the returned `ConnectionPass` is released.
    func enter(_ address: SocketAddress) -> ConnectionPass {
        let (key, _) = share(of: address)
        content.withLock {
            $0.count += 1
            $0.perNetwork[key, default: 0] += 1
        }
        return ConnectionPass(table: self, key: key)
    }

    fileprivate func leave(_ key: AddressKey) {
        content.withLock {
            $0.count -= 1
            guard let count = $0.perNetwork[key] else { return }
            $0.perNetwork[key] = count > 1 ? count - 1 : nil
        }
    }
}

/// The entry of one client's connection in the count of connections. A `ConnectionPass` exists from the acceptance of the connection to its end, in
/// libmicrohttpd and in the stream loop.
final class ConnectionPass: Sendable {
    private let table: ConnectionTable
    private let key: AddressKey

    fileprivate init(table: ConnectionTable, key: AddressKey) {
        self.table = table
        self.key = key
    }

    deinit { table.leave(key) }
}

// MARK: - Overdue connections

extension ConnectionTable {
    /// Whether at least one connection is watched, so that a connection could become overdue.
    var isWatching: Bool { watching.load(ordering: .acquiring) > 0 }

    /// The number of sweeps so far, which is the present time for `ConnectionWatch.enter`.
    var moment: UInt32 { sweeps.load(ordering: .relaxed) }

    /// Whether a request of at least one connection waits for its answer, or for the rest of it.
    var isAnswering: Bool {
        content.withLock { $0.watched.values.contains { [.thinking, .sending].contains($0.current.phase) } }
    }

    /// Watches a connection, which could become overdue, until `forget` is called for it. Returns true if it is the only watched connection, so that
    /// the caller must start the sweeps.
    func watch(_ connection: ConnectionWatch) -> Bool {
        content.withLock { $0.watched[ObjectIdentifier(connection)] = connection }
        return watching.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 1
    }

    /// Stops watching a connection, which can no longer become overdue. `ConnectionTable.forget` must be called before the connection's descriptor is
    /// closed.
    func forget(_ connection: ConnectionWatch) {
        guard content.withLock({ $0.watched.removeValue(forKey: ObjectIdentifier(connection)) }) != nil else { return }
        watching.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    /// Shuts down the connections that have been in one phase for too long. Also shuts down the input of the connections whose clients have
    /// disconnected during a request or between two requests. libmicrohttpd then closes all these connections.
    ///
    /// libmicrohttpd alone would keep both kinds open. Its time-out begins again at every byte, so a client that sends single bytes at intervals is
    /// never disconnected. If a client's last bytes and the end of its connection arrive together, libmicrohttpd detects only the bytes.
    func sweep() {
        let moment = sweeps.wrappingAdd(1, ordering: .relaxed).newValue
        // The lock prevents that a connection's descriptor is closed during the sweep and its number is reused.
        content.withLock {
            var waiting: [pollfd] = []
            for connection in $0.watched.values {
                let (phase, since) = connection.current
                let age = moment &- since
                let isOverdue =
                    switch phase {
                    case .receiving: age > sweepsPerRequest
                    case .sending: age > sweepsPerResponse
                    case .pausing: age > sweepsPerPause
                    case .thinking: false
                    }
                if isOverdue { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
                if !isOverdue, phase == .receiving || phase == .pausing, age > 1 {
                    waiting.append(pollfd(fd: connection.descriptor, events: Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue), revents: 0))
                }
            }
            guard !waiting.isEmpty, poll(&waiting, nfds_t(waiting.count), 0) > 0 else { return }
            // Shut down only the input of the connection, because a client that has ended its output may still read the answer.
            for left in waiting where left.revents != 0 { shutdown(left.fd, Int32(SHUT_RD)) }
        }
    }
}
