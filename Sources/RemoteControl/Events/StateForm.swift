/// The form in which a client receives a change of the player's state (the parameter `state` of event streams).
enum StateForm: String, CaseIterable, Sendable {
    case whole
    /// `stateChange` events contain only what has changed; a snapshot is a `state` event for these clients too.
    case changes
}
