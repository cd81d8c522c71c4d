/// What a player sends to its observers.
public enum PlayerNotice: Sendable {
    /// The state after a turn of the main actor in which it changed: exactly one for each change that a remote is to see.
    case state(PlayerState)
    /// An event. It precedes the state that shows its effect.
    case event(PlayerEvent)
}
