/// A message from a player to its observers.
public enum PlayerNotice: Sendable {
    /// The player's state, sent after it has changed: at the end of a client's command; otherwise at the end of the turn (job) of the main actor that
    /// has changed it.
    case state(PlayerState)
    /// An event of the player. Observers receive an event before the state that shows the event's effect.
    case event(PlayerEvent)
}
