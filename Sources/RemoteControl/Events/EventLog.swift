/// The newest numbered events of one epoch, stored for slow and reconnecting clients.
struct EventLog: Sendable {
    struct Capacity: Sendable {
        var events = 1024
        var bytes = 1 << 20
    }

    /// The number of the newest event; 0 before the first.
    private(set) var newest = 0
    private var frames: [EventFrame?]
    private var first = 1
    private var byteCount = 0
    private let capacity: Capacity

    init(capacity: Capacity = Capacity()) {
        self.capacity = capacity
        frames = Array(repeating: nil, count: max(1, capacity.events))
    }

    /// Appends the event that `make` creates with its number. Removes old events until the log is within its capacity, but never the newest.
    mutating func append(_ make: (Int) -> EventFrame) {
        newest += 1
        if newest - first >= frames.count { forgetOldest() }
        let frame = make(newest)
        frames[newest % frames.count] = frame
        byteCount += Self.size(of: frame)
        while byteCount > capacity.bytes, first < newest { forgetOldest() }
    }

    func frame(_ sequence: Int) -> EventFrame? {
        guard sequence >= first, sequence <= newest else { return nil }
        return frames[sequence % frames.count]
    }

    /// Whether all events after the event `sequence` are stored, so that a client that has received it needs no snapshot.
    func canReplay(after sequence: Int) -> Bool { sequence >= first - 1 && sequence <= newest }

    /// The size of an event in all its forms, in bytes.
    private static func size(of frame: EventFrame) -> Int { frame.bytes.count + (frame.reduced?.bytes.count ?? 0) }

    private mutating func forgetOldest() {
        byteCount -= frames[first % frames.count].map(Self.size) ?? 0
        frames[first % frames.count] = nil
        first += 1
    }
}

/// The position of one client's stream in the broadcast of events, and the client's selection of events.
struct EventCursor: Sendable {
    /// The reason for a `state` event with the whole state.
    enum Snapshot: Sendable {
        /// The client has just connected.
        case first
        /// The client's last event is no longer stored.
        case resync
        /// The client was too slow and has missed events.
        case coalesced

        /// The name of the member of the `state` event that states the reason; nil for a first snapshot.
        var flag: String? {
            switch self {
            case .first: nil
            case .resync: "resync"
            case .coalesced: "coalesced"
            }
        }
    }

    var types = EventTypes.all
    var stateForm = StateForm.whole
    /// The newest numbered event that was handed to the stream.
    var sequence: Int
    /// The number of the last event that is replayed after a reconnection, or 0. Up to it, `EventBroadcast.Limits.backlog` does not apply.
    var replayEnd = 0
    var snapshot: Snapshot?
    /// The number of the last heartbeat that was sent.
    var heartbeat = 0
    /// The number of the last event that was sent for each watch, in the order of the stream's leases.
    var watches: [Int] = []
}
