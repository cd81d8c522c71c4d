/// A message from a player to its observers.
public enum PlayerNotice: Sendable {
    /// The state after a turn of the main actor in which it changed. There is at most one in each turn.
    case state(PlayerState)
    /// An event. It precedes the state that shows its effect.
    case event(PlayerEvent)
}
