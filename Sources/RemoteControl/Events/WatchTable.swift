/// The watches that clients request: the number of users and the newest events of each.
struct WatchTable {
    private struct Entry {
        var users = 0
        /// The number of the watch's newest event; 0 before the first.
        var generation = 0
        /// The newest events, of which the last has the number `generation`.
        var frames: [EventFrame] = []
    }

    private let capacity: Int
    private let capacityOfAddress: Int
    private var entries: [Watch: Entry] = [:]
    /// The numbers of users of each network of other machines; without `.buffer`.
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

    /// Removes a user; true if none is left.
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

    /// Stores an event; false if the watch has no users.
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

/// A kind of unnumbered event, which is produced only while at least one client wants it.
enum Watch: Sendable, Hashable {
    case tick(TickInterval)
    /// Playback crosses one of the given media times.
    case boundary(BoundaryTimes)
    /// The current item's buffer, for each stream whose types contain `buffer`.
    case buffer

    var name: String {
        switch self {
        case .tick: "tick"
        case .boundary: "boundary"
        case .buffer: "buffer"
        }
    }

    /// The number of events that are stored for a slow client: of ticks and buffers only the newest.
    var keptCount: Int {
        switch self {
        case .tick, .buffer: 1
        case .boundary: 16
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

/// The media times for which a client wants an event when playback crosses them, in whole milliseconds.
struct BoundaryTimes: Sendable, Hashable {
    /// The times in ascending order, without duplicates.
    let milliseconds: [Int]

    static let maximumCount = 16
    /// The permitted times, in seconds.
    static let range = 0.0...1e9

    /// Parses JSON numbers, in seconds, separated by commas.
    init?(_ text: String) {
        guard case .array(let elements)? = try? JSONParser.parse(Array("[\(text)]".utf8)), !elements.isEmpty, elements.count <= Self.maximumCount
        else { return nil }
        var times: Set<Int> = []
        for element in elements {
            guard case .number(let number) = element, let seconds = number.double, Self.range.contains(seconds) else { return nil }
            times.insert(Int((seconds * 1000).rounded()))
        }
        milliseconds = times.sorted()
    }

    var seconds: [Double] { milliseconds.map { Double($0) / 1000 } }
}
