/// A message from a player to its observers.
public enum PlayerNotice: Sendable {
    /// The player's state, sent after a turn of the main actor in which the state has changed. At most one state is sent in each turn of the main
    /// actor.
    case state(PlayerState)
    /// An event of the player. Observers receive an event before the state that shows the event's effect.
    case event(PlayerEvent)
}
