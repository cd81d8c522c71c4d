/// The newest numbered events of one epoch (one run of the server), which are stored for slow and reconnecting clients. The log is a value, without a
/// lock or a clock.
struct EventLog: Sendable {
    /// The maximum number of stored events, and their maximum size in bytes.
    struct Capacity: Sendable {
        var events = 1024
        var bytes = 1 << 20
    }

    /// The number of the newest event in the log; 0 before the first event.
    private(set) var newest = 0
    private var frames: [EventFrame?]
    private var first = 1
    private var byteCount = 0
    private let capacity: Capacity

    init(capacity: Capacity = Capacity()) {
        self.capacity = capacity
        frames = Array(repeating: nil, count: max(1, capacity.events))
    }

    /// Appends the event that the function `make` returns for the next number, and removes the oldest events until the log is within its capacity.
    /// The newest event is always stored in the log.
    mutating func append(_ make: (Int) -> EventFrame) {
        newest += 1
        if newest - first >= frames.count { forgetOldest() }
        let frame = make(newest)
        frames[newest % frames.count] = frame
        byteCount += Self.size(of: frame)
        while byteCount > capacity.bytes, first < newest { forgetOldest() }
    }

    /// Returns the event with the number `sequence`; nil if the event is not stored.
    func frame(_ sequence: Int) -> EventFrame? {
        guard sequence >= first, sequence <= newest else { return nil }
        return frames[sequence % frames.count]
    }

    /// Whether all events after the number `sequence` are still stored, so that a client that has received the event `sequence` needs no snapshot.
    func canReplay(after sequence: Int) -> Bool { sequence >= first - 1 && sequence <= newest }

    /// Returns the size of an event in all its forms, in bytes.
    private static func size(of frame: EventFrame) -> Int { frame.bytes.count + (frame.reduced?.bytes.count ?? 0) }

    private mutating func forgetOldest() {
        byteCount -= frames[first % frames.count].map(Self.size) ?? 0
        frames[first % frames.count] = nil
        first += 1
    }
}
