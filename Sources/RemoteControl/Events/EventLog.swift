/// The numbered events of one epoch, the newest of them stored for slow and reconnecting clients. A value, without a lock or a clock.
struct EventLog: Sendable {
    /// The maximum number and size of stored events.
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

    /// Appends the event that `make` returns for its number, and removes the oldest as far as necessary. The newest is always stored.
    mutating func append(_ make: (Int) -> EventFrame) {
        newest += 1
        if newest - first >= frames.count { forgetOldest() }
        let frame = make(newest)
        frames[newest % frames.count] = frame
        byteCount += frame.bytes.count
        while byteCount > capacity.bytes, first < newest { forgetOldest() }
    }

    /// Returns the event with that number, if it is still stored.
    func frame(_ sequence: Int) -> EventFrame? {
        guard sequence >= first, sequence <= newest else { return nil }
        return frames[sequence % frames.count]
    }

    /// Whether all events after `sequence` are still stored, so that a client that has this one needs no snapshot.
    func canReplay(after sequence: Int) -> Bool { sequence >= first - 1 && sequence <= newest }

    private mutating func forgetOldest() {
        byteCount -= frames[first % frames.count]?.bytes.count ?? 0
        frames[first % frames.count] = nil
        first += 1
    }
}
