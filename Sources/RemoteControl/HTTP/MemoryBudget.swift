import Synchronization

/// Limits the memory that the server reserves for clients: in total, and for each network (`HTTPPeer.network`), so that no client uses up the memory
/// of the others. Memory is counted until its `MemoryReservation` is released.
///
/// The first reservation of a network may exceed the share, and the first of all the total: otherwise a larger document could never be sent.
public final class MemoryBudget: Sendable {
    /// A body, by the address of its bytes, and a network for which it is reserved.
    private struct Holding: Hashable {
        let network: String
        let address: UInt
    }
    private struct Content {
        var used = 0
        var networks: [String: Int] = [:]
        /// The numbers of reservations of each body: for all networks, and for each.
        var holders: [UInt: Int] = [:]
        var holdings: [Holding: Int] = [:]

        mutating func add(_ size: Int, to network: String) {
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
    public func fits(_ size: Int, for network: String) -> Bool { content.withLock { fits(size, own: size, for: network, $0) } }

    public func hasShare(_ network: String) -> Bool { content.withLock { $0.networks[network, default: 0] < share } }

    /// Reserves memory; nil if the budget does not permit so many bytes, unless `isForced`.
    public func reserve(_ size: Int, for network: String, isForced: Bool = false) -> MemoryReservation? {
        let isTaken = content.withLock { content in
            guard isForced || fits(size, own: size, for: network, content) else { return false }
            content.used += size
            content.add(size, to: network)
            return true
        }
        return isTaken ? MemoryReservation(self, network: network, size: size) : nil
    }

    /// Reserves memory for a body, and retains it. Bytes that several answers share are counted once in the total, and once for each network.
    public func hold(_ body: [UInt8], for network: String, isForced: Bool = false) -> MemoryReservation? {
        let address = Self.address(body)
        let isTaken = content.withLock { content in
            let holding = Holding(network: network, address: address)
            let own = content.holdings[holding] == nil ? body.count : 0
            let new = content.holders[address] == nil ? body.count : 0
            guard isForced || fits(new, own: own, for: network, content) else { return false }
            content.used += new
            content.add(own, to: network)
            content.holders[address, default: 0] += 1
            content.holdings[holding, default: 0] += 1
            return true
        }
        return isTaken ? MemoryReservation(self, network: network, size: body.count, body: body) : nil
    }

    /// Whether a body fits. `size`: its bytes that are reserved for no network yet; `own`: those that are not reserved for this network yet.
    private func fits(_ size: Int, own: Int, for network: String, _ content: Content) -> Bool {
        let held = content.networks[network, default: 0]
        return (own == 0 || held == 0 || held + own <= share) && (size == 0 || content.used == 0 || content.used + size <= total)
    }

    fileprivate func grow(by size: Int, for network: String) -> Bool {
        content.withLock { content in
            guard content.networks[network, default: 0] + size <= share, content.used + size <= total else { return false }
            content.used += size
            content.add(size, to: network)
            return true
        }
    }

    fileprivate func release(_ size: Int, _ body: [UInt8]?, of network: String) {
        content.withLock { content in
            guard let body else {
                content.used -= size
                content.add(-size, to: network)
                return
            }
            let address = Self.address(body)
            let holding = Holding(network: network, address: address)
            if let count = content.holdings[holding], count > 1 {
                content.holdings[holding] = count - 1
            } else {
                content.holdings[holding] = nil
                content.add(-size, to: network)
            }
            if let count = content.holders[address], count > 1 {
                content.holders[address] = count - 1
            } else {
                content.holders[address] = nil
                content.used -= size
            }
        }
    }

    /// The address of a body's bytes. Arrays that share them have the same address; no other array has it while a reservation retains the body.
    private static func address(_ body: [UInt8]) -> UInt { body.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
}

/// Bytes that a `MemoryBudget` counts until the reservation is released.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let network: String
    private let counted: Atomic<Int>
    private let body: [UInt8]?

    fileprivate init(_ budget: MemoryBudget, network: String, size: Int, body: [UInt8]? = nil) {
        self.budget = budget
        self.network = network
        self.body = body
        counted = Atomic(size)
    }

    deinit { budget.release(size, body, of: network) }

    /// The reserved size, in bytes.
    public var size: Int { counted.load(ordering: .relaxed) }

    /// Enlarges the reservation; false, without a change, if the budget does not permit it. Not for the reservation of a body (`MemoryBudget.hold`).
    public func grow(to size: Int) -> Bool {
        let more = size - self.size
        guard more > 0 else { return true }
        guard budget.grow(by: more, for: network) else { return false }
        counted.add(more, ordering: .relaxed)
        return true
    }
}
