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
    /// The generation of the heartbeat that it has.
    var heartbeat = 0
    /// The generations of what it watches, in the order of its leases.
    var watches: [Int] = []
}
