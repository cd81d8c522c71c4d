/// The form in which a client receives a change of the player's state (the parameter `state` of event streams).
enum StateForm: String, CaseIterable, Sendable {
    /// Each change is a `state` event, which contains all members of the state.
    case whole
    /// Each change is a `stateChange` event, which contains only the members that have changed. A snapshot is a `state` event for these clients too.
    case changes
}
