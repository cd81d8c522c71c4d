/// The watches that clients request: the number of users and the newest events of each.
struct WatchTable {
    private struct Entry {
        var users = 0
        /// The number of the watch's newest event; 0 before the first.
        var generation = 0
        /// The last of them has the number `generation`.
        var frames: [EventFrame] = []
    }

    private let capacity: Int
    private let capacityOfAddress: Int
    private var entries: [Watch: Entry] = [:]
    /// For each network of other machines; without `.buffer`.
    private var addresses: [String: [Watch: Int]] = [:]

    init(capacity: Int, capacityOfAddress: Int) {
        self.capacity = capacity
        self.capacityOfAddress = capacityOfAddress
    }

    var wanted: Set<Watch> { Set(entries.keys) }

    func users(of watch: Watch) -> Int { entries[watch]?.users ?? 0 }

    enum Entrance { case refused, joined, new }

    /// - Parameter address: The network of the user; nil on the server's machine.
    mutating func enter(_ watch: Watch, address: String?) -> Entrance {
        let isNew = entries[watch] == nil
        // `.buffer` is a single watch that all streams share.
        if isNew, watch != .buffer, entries.count - (entries[.buffer] == nil ? 0 : 1) >= capacity { return .refused }
        if let address, watch != .buffer {
            let own = addresses[address] ?? [:]
            guard own[watch] != nil || own.count < capacityOfAddress else { return .refused }
            addresses[address, default: [:]][watch, default: 0] += 1
        }
        entries[watch, default: Entry()].users += 1
        return isNew ? .new : .joined
    }

    /// Returns true if no user is left.
    mutating func leave(_ watch: Watch, address: String?) -> Bool {
        if let address, let count = addresses[address]?[watch] {
            addresses[address]?[watch] = count > 1 ? count - 1 : nil
            if addresses[address]?.isEmpty == true { addresses[address] = nil }
        }
        entries[watch]?.users -= 1
        guard entries[watch]?.users == 0 else { return false }
        entries[watch] = nil
        return true
    }

    /// Returns false if the watch has no users.
    mutating func append(_ frame: EventFrame, to watch: Watch) -> Bool {
        guard var entry = entries[watch] else { return false }
        entry.generation += 1
        entry.frames.append(frame)
        if entry.frames.count > watch.keptCount { entry.frames.removeFirst() }
        entries[watch] = entry
        return true
    }

    func newest(of watch: Watch) -> Int { entries[watch]?.generation ?? 0 }

    /// The first stored event after `generation`, and its number.
    func next(_ watch: Watch, after generation: Int) -> (frame: EventFrame, generation: Int)? {
        guard let entry = entries[watch], entry.generation > generation else { return nil }
        let oldest = entry.generation - entry.frames.count + 1
        let wanted = max(generation + 1, oldest)
        return (entry.frames[wanted - oldest], wanted)
    }

    /// The newest event that was created before the numbered event `sequence`, but at least `generation`.
    func skip(_ watch: Watch, after generation: Int, before sequence: Int) -> Int {
        guard let entry = entries[watch] else { return generation }
        let later = entry.frames.count { $0.sequence >= sequence }
        return max(generation, entry.generation - later)
    }
}
