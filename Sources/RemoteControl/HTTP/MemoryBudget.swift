import Synchronization

/// Limits the memory that the server reserves for clients: in total, and for each network (`HTTPPeer.network`), so that no client uses up the memory
/// of the others. Memory is counted until its `MemoryReservation` is released.
///
/// A network's only reservation may exceed the share, and the only one of all networks the total: otherwise a large document could never be sent.
public final class MemoryBudget: Sendable {
    private struct Content {
        var used = 0
        var networks: [String: Int] = [:]

        mutating func add(_ size: Int, to network: String) {
            used += size
            let own = networks[network, default: 0] + size
            networks[network] = own == 0 ? nil : own
        }
    }

    /// The limit of all clients together, in bytes.
    public let total: Int
    /// The limit of one network, in bytes.
    public let share: Int
    private let content = Mutex(Content())

    public init(total: Int, share: Int) {
        self.total = total
        self.share = share
    }

    /// The reserved memory, in bytes.
    public var used: Int { content.withLock { $0.used } }

    /// Whether the budget permits so many bytes; reserves nothing.
    public func fits(_ size: Int, for network: String) -> Bool { content.withLock { fits(size, for: network, $0) } }

    public func hasShare(_ network: String) -> Bool { content.withLock { $0.networks[network, default: 0] < share } }

    /// Reserves memory; nil if the budget does not permit so many bytes, unless `isForced`.
    public func reserve(_ size: Int, for network: String, isForced: Bool = false) -> MemoryReservation? {
        let isTaken = content.withLock { content in
            guard isForced || fits(size, for: network, content) else { return false }
            content.add(size, to: network)
            return true
        }
        return isTaken ? MemoryReservation(self, network: network, size: size) : nil
    }

    private func fits(_ size: Int, for network: String, _ content: Content) -> Bool {
        let own = content.networks[network, default: 0]
        return (own == 0 || own + size <= share) && (content.used == 0 || content.used + size <= total)
    }

    fileprivate func grow(by size: Int, for network: String) -> Bool {
        content.withLock { content in
            guard content.networks[network, default: 0] + size <= share, content.used + size <= total else { return false }
            content.add(size, to: network)
            return true
        }
    }

    fileprivate func release(_ size: Int, of network: String) {
        content.withLock { $0.add(-size, to: network) }
    }
}

/// Bytes that a `MemoryBudget` counts until the reservation is released.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let network: String
    private let counted: Atomic<Int>

    fileprivate init(_ budget: MemoryBudget, network: String, size: Int) {
        self.budget = budget
        self.network = network
        counted = Atomic(size)
    }

    deinit { budget.release(size, of: network) }

    /// The reserved size, in bytes.
    public var size: Int { counted.load(ordering: .relaxed) }

    /// Enlarges the reservation; false, without a change, if the budget does not permit it.
    public func grow(to size: Int) -> Bool {
        let more = size - self.size
        guard more > 0 else { return true }
        guard budget.grow(by: more, for: network) else { return false }
        counted.add(more, ordering: .relaxed)
        return true
    }
}
