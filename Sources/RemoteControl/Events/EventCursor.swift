/// The position of one client's stream in the feed of events, and what the client has requested.
struct EventCursor: Sendable {
    /// The reason for sending a client a snapshot, which is a `state` event with the whole state.
    enum Snapshot: Sendable {
        /// The client has just connected, so it needs the whole state first.
        case first
        /// The client's last event is no longer stored, so the missed events cannot be replayed.
        case resync
        /// The client was too slow and has missed events, which the snapshot replaces.
        case coalesced

        /// The name of the member that states the reason for the snapshot in the `state` event; nil for a first snapshot.
        var flag: String? {
            switch self {
            case .first: nil
            case .resync: "resync"
            case .coalesced: "coalesced"
            }
        }
    }

    /// The types of events that the client requested.
    var types = EventTypes.all
    /// The form of the events about changes of the state that the client requested.
    var stateForm = StateForm.whole
    /// The number of the newest numbered event that was handed to the client's stream.
    var sequence: Int
    /// The number of the last event that is replayed after a reconnection; 0 if none is replayed. Up to this event, the limit for slow clients
    /// (`EventFeed.Limits.backlog`) does not apply.
    var replayEnd = 0
    /// The reason for sending a snapshot next; nil if no snapshot must be sent.
    var snapshot: Snapshot?
    /// The running number of the last heartbeat that was sent to the client.
    var heartbeat = 0
    /// The running number of the last event that was sent for each watch (`Watch`) of the client, in the order of the stream's leases (its requests
    /// for watches).
    var watches: [Int] = []
}
