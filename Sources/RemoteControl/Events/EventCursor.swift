/// The position of one stream in the feed.
struct EventCursor: Sendable {
    /// The reason for sending a client the whole state.
    enum Snapshot: Sendable {
        /// The client has received nothing yet.
        case first
        /// The client's last event is no longer known.
        case resync
        /// The client was too slow.
        case coalesced

        /// The member of the event that states the reason.
        var flag: String? {
            switch self {
            case .first: nil
            case .resync: "resync"
            case .coalesced: "coalesced"
            }
        }
    }

    /// The number of the newest event that the client has received or is being sent.
    var sequence: Int
    /// The number of the last event that is replayed to the client.
    var replayEnd = 0
    /// The reason for the next snapshot; nil if none is due.
    var snapshot: Snapshot?
    /// The generation of the last heartbeat that was sent.
    var heartbeat = 0
    /// The generations of the last events of each watch, in the order of the leases.
    var watches: [Int] = []
}
