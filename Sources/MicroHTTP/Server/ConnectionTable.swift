import CLinux
import Glibc
import Synchronization

/// Who is connected: how many in all and from each network (`AddressKey.network`), and who is overdue. Safe from any thread.
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
    /// How many sweeps a connection may stay in a phase.
    private let sweepsPerRequest: UInt32
    private let sweepsPerResponse: UInt32
    private let sweepsPerPause: UInt32
    private let sweeps = Atomic<UInt32>(1)
    private let watching = Atomic(0)

    init(
        limit: Int, limitPerNetwork: Int, limitOfLoopback: Int = .max, sweepsPerRequest: UInt32, sweepsPerResponse: UInt32, sweepsPerPause: UInt32
    ) {
        self.limit = limit
        self.limitPerNetwork = limitPerNetwork
        self.limitOfLoopback = limitOfLoopback
        self.sweepsPerRequest = sweepsPerRequest
        self.sweepsPerResponse = sweepsPerResponse
        self.sweepsPerPause = sweepsPerPause
    }

    /// Whether there is a place for one more connection of this address.
    func admits(_ address: AddressKey) -> Bool {
        let key = address.network
        return content.withLock { $0.count < limit && $0.perNetwork[key, default: 0] < (key.isLoopback ? limitOfLoopback : limitPerNetwork) }
    }

    /// Counts a connection until the pass is dropped.
    func enter(_ address: AddressKey) -> ConnectionPass {
        let key = address.network
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

/// The right to be connected: one for each connection, from its acceptance to its end, whoever serves it.
final class ConnectionPass: Sendable {
    private let table: ConnectionTable
    private let key: AddressKey

    fileprivate init(table: ConnectionTable, key: AddressKey) {
        self.table = table
        self.key = key
    }

    deinit { table.leave(key) }
}

// MARK: - The overdue

extension ConnectionTable {
    /// Whether anybody could become overdue.
    var isWatching: Bool { watching.load(ordering: .acquiring) > 0 }

    /// The moment, for `ConnectionWatch.enter`.
    var moment: UInt32 { sweeps.load(ordering: .relaxed) }

    /// Watches a connection until `forget`. True where it is the only one: somebody has to begin to sweep.
    func watch(_ connection: ConnectionWatch) -> Bool {
        content.withLock { $0.watched[ObjectIdentifier(connection)] = connection }
        return watching.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 1
    }

    /// To be called before the descriptor is closed.
    func forget(_ connection: ConnectionWatch) {
        guard content.withLock({ $0.watched.removeValue(forKey: ObjectIdentifier(connection)) }) != nil else { return }
        watching.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    /// Cuts off who has been too long in its phase, and who has left in the midst of a request: libmicrohttpd then notices and closes.
    ///
    /// The library's own time-out is renewed by every byte: a client that sends one now and then would stay for ever. And where the last bytes and
    /// the end of the connection arrive together, it sees the bytes alone.
    func sweep() {
        let moment = sweeps.wrappingAdd(1, ordering: .relaxed).newValue
        // Under the lock, so that no descriptor can have been closed and be another's by now.
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
            // For reading alone: who has ended its own bytes may still read the answer.
            for left in waiting where left.revents != 0 { shutdown(left.fd, Int32(SHUT_RD)) }
        }
    }
}

/// What the sweep needs to know of a connection that libmicrohttpd serves.
final class ConnectionWatch: Sendable {
    enum Phase: UInt64 {
        /// The connection is new, or a request has begun and is not complete.
        case receiving
        /// The handler has the request.
        case thinking
        /// The client is taking the answer.
        case sending
        /// The client has its answer, and has not begun another request: the library tells of one when its first line is complete.
        case pausing
    }

    let descriptor: Int32
    /// The phase in the upper half, and when it began, in sweeps, in the lower.
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
