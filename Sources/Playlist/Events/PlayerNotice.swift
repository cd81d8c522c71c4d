/// A message from a player to its observers.
public enum PlayerNotice: Sendable {
    /// The state, after a turn of the main actor in which the state has changed. At most one state is sent in each turn.
    case state(PlayerState)
    /// An event. Observers receive an event before the state that shows the event's effect.
    case event(PlayerEvent)
}
