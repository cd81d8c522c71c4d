/// How far one stream has come.
struct EventCursor: Sendable {
    /// Why a client gets the whole state.
    enum Snapshot: Sendable {
        /// It has nothing yet.
        case first
        /// What it has is not known any more.
        case resync
        /// It was too slow.
        case coalesced

        /// The member that says so.
        var flag: String? {
            switch self {
            case .first: nil
            case .resync: "resync"
            case .coalesced: "coalesced"
            }
        }
    }

    /// The newest numbered event that the client has or is being sent.
    var sequence: Int
    /// The end of what is replayed to it.
    var replayEnd = 0
    /// The snapshot that it gets next.
    var snapshot: Snapshot?
    /// The generations of the tick and the heartbeat that it has.
    var tick = 0
    var heartbeat = 0
}

/// How often a client wants to be told the time, in whole milliseconds of media time.
struct TickInterval: Sendable, Hashable {
    let milliseconds: Int

    /// The intervals that can be asked for, seconds.
    static let range = 0.1...3600.0

    /// nil where `seconds` is outside the range.
    init?(seconds: Double) {
        guard Self.range.contains(seconds) else { return nil }
        milliseconds = Int((seconds * 1000).rounded())
    }

    var seconds: Double { Double(milliseconds) / 1000 }
}
