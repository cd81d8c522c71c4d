/// The position of one client's stream in the feed of events, and what the client has requested.
struct EventCursor: Sendable {
    /// The reason for a `state` event with the whole state.
    enum Snapshot: Sendable {
        /// The client has just connected.
        case first
        /// The client's last event is no longer stored.
        case resync
        /// The client was too slow and has missed events.
        case coalesced

        /// The member that states the reason; nil for a first snapshot.
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
    /// The last event that is replayed after a reconnection, or 0. Up to it, `EventFeed.Limits.backlog` does not apply.
    var replayEnd = 0
    var snapshot: Snapshot?
    /// The last heartbeat that was sent.
    var heartbeat = 0
    /// The last event that was sent for each watch, in the order of the stream's leases.
    var watches: [Int] = []
}
