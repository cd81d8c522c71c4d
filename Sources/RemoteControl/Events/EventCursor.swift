/// The position of one client's stream in the feed of events.
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
    /// The number of the last event of the replay after a reconnection; 0 if no events are replayed. The limit for slow clients does not apply to the
    /// replayed events.
    var replayEnd = 0
    /// The reason for sending a snapshot next; nil if no snapshot must be sent.
    var snapshot: Snapshot?
    /// The generation (the running number) of the last heartbeat that was sent to the client.
    var heartbeat = 0
    /// The generation (a running number) of the last event that was sent for each watch (`Watch`) of the client. The order is that of the stream's
    /// leases (the client's requests for watches).
    var watches: [Int] = []
}
