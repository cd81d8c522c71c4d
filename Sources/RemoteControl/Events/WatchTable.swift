/// The watches that clients request: the number of users and the newest event of each watch.
struct WatchTable {
    private struct Entry {
        var users = 0
        /// The number of the watch's newest event; 0 before the first.
        var generation = 0
        /// The newest event; a slow client misses the older ones.
        var frame: EventFrame?
    }

    private let capacity: Int
    private let capacityOfAddress: Int
    private var entries: [Watch: Entry] = [:]
    /// For each network of clients on other machines: the number of users of each watch except `.buffer`.
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

    /// Removes a user of a watch; returns true if the watch has no users left.
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

    /// Stores an event; returns false if the watch has no users.
    mutating func append(_ frame: EventFrame, to watch: Watch) -> Bool {
        guard let entry = entries[watch] else { return false }
        entries[watch] = Entry(users: entry.users, generation: entry.generation + 1, frame: frame)
        return true
    }

    func newest(of watch: Watch) -> Int { entries[watch]?.generation ?? 0 }

    /// Returns the newest event, and its number, if that is after `generation`.
    func next(_ watch: Watch, after generation: Int) -> (frame: EventFrame, generation: Int)? {
        guard let entry = entries[watch], entry.generation > generation, let frame = entry.frame else { return nil }
        return (frame, entry.generation)
    }

    /// The number of the watch's newest event that was created before the numbered event `sequence`, but at least `generation`.
    func skip(_ watch: Watch, after generation: Int, before sequence: Int) -> Int {
        guard let entry = entries[watch], let frame = entry.frame else { return generation }
        return max(generation, frame.sequence >= sequence ? entry.generation - 1 : entry.generation)
    }
}

/// A kind of unnumbered event, which is produced only while at least one client wants it.
enum Watch: Sendable, Hashable {
    case tick(TickInterval)
    /// The current item's buffer, for each stream whose types contain `buffer`.
    case buffer

    var name: String {
        switch self {
        case .tick: "tick"
        case .buffer: "buffer"
        }
    }
}

/// The interval at which a client wants the media time, in whole milliseconds of media time.
struct TickInterval: Sendable, Hashable {
    let milliseconds: Int

    static let range = 0.1...3600.0

    init?(seconds: Double) {
        guard Self.range.contains(seconds) else { return nil }
        milliseconds = Int((seconds * 1000).rounded())
    }

    var seconds: Double { Double(milliseconds) / 1000 }
}
