/// An archive, which saves a player's state from one run of the program to the next. The program implements `PlayerArchive` with a database.
///
/// No function of a `PlayerArchive` blocks. Any thread may call the functions.
public protocol PlayerArchive: AnyObject, Sendable {
    /// Saves the state of a player. If several states arrive during one write, only the newest is written.
    func keep(_ player: SavedPlayer)
    /// Saves the position of a medium, and removes the positions of the media with the URLs `urls`.
    func keep(_ position: MediaPosition, removing urls: [[UInt8]])
}
