import CLinux
import Glibc
import Synchronization

/// All connections: their number, in total and from each network, and those that can become overdue. Any thread may use it.
final class ConnectionTable: Sendable {
    private struct Content {
        var count = 0
        var perNetwork: [AddressKey: Int] = [:]
        var watched: [ObjectIdentifier: ConnectionActivity] = [:]
    }

    private let content = Mutex(Content())
    private let limit: Int
    private let limitPerNetwork: Int
    private let limitOfLoopback: Int
    private let limitOfProxy: Int
    private let isProxy: @Sendable (String) -> Bool
    /// The time limits, as numbers of sweeps: for receiving a request, for sending an answer, and for the pause after the answer.
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

    func admits(_ address: SocketAddress) -> Bool {
        let (key, maximum) = share(of: address)
        return content.withLock { $0.count < limit && $0.perNetwork[key, default: 0] < maximum }
    }

    /// The key and the limit by which connections from an address are counted. A proxy is counted apart from its network.
    private func share(of address: SocketAddress) -> (key: AddressKey, maximum: Int) {
        let key = address.key
        if key.isLoopback { return (key, limitOfLoopback) }
        return isProxy(address.numericHost) ? (key, limitOfProxy) : (key.network, limitPerNetwork)
    }

    /// Counts a connection until the pass is released.
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

/// A connection's place in the count. It is kept while libmicrohttpd or the stream loop has the connection's socket.
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
    /// Whether a connection could become overdue.
    var isWatching: Bool { watching.load(ordering: .acquiring) > 0 }

    /// The present time, as a number of sweeps, for `ConnectionActivity.enter`.
    var moment: UInt32 { sweeps.load(ordering: .relaxed) }

    /// Whether a request waits for its answer, or for the rest of it.
    var isAnswering: Bool {
        content.withLock { $0.watched.values.contains { [.thinking, .sending].contains($0.current.phase) } }
    }

    /// Includes a connection in the sweeps until `forget`. Returns true if it is the only one, so that the caller must start the sweeps.
    func watch(_ connection: ConnectionActivity) -> Bool {
        content.withLock { $0.watched[ObjectIdentifier(connection)] = connection }
        return watching.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 1
    }

    /// Excludes a connection from the sweeps. Called before the connection's descriptor is closed.
    func forget(_ connection: ConnectionActivity) {
        guard content.withLock({ $0.watched.removeValue(forKey: ObjectIdentifier(connection)) }) != nil else { return }
        watching.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    /// Shuts down connections that have been in one phase for too long, and the input of those whose clients have disconnected, so that libmicrohttpd
    /// closes them. libmicrohttpd's own time-out begins again at every byte, and it does not detect an end that arrives together with bytes.
    func sweep() {
        let moment = sweeps.wrappingAdd(1, ordering: .relaxed).newValue
        // The lock is held, so that no descriptor is closed and reused meanwhile.
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
            // Only the input is shut down, because a client that has ended its output may still read the answer.
            for left in waiting where left.revents != 0 { shutdown(left.fd, Int32(SHUT_RD)) }
        }
    }
}

/// The phase of a connection, and the sweep at which the phase began.
final class ConnectionActivity: Sendable {
    enum Phase: UInt64 {
        /// The connection is new, or its request is not complete.
        case receiving
        /// The handler works, without a time limit.
        case thinking
        case sending
        /// The answer was sent, and the first line of the next request, which libmicrohttpd reports, has not arrived.
        case pausing
    }

    let descriptor: Int32
    /// The phase and the sweep as one word, 32 bits each.
    private let word: Atomic<UInt64>

    init(descriptor: Int32, moment: UInt32) {
        self.descriptor = descriptor
        word = Atomic(UInt64(moment))
    }

    func enter(_ phase: Phase, at moment: UInt32) { word.store(phase.rawValue << 32 | UInt64(moment), ordering: .relaxed) }

    var current: (phase: Phase, since: UInt32) {
        let value = word.load(ordering: .relaxed)
        return (Phase(rawValue: value >> 32) ?? .thinking, UInt32(truncatingIfNeeded: value))
    }
}
