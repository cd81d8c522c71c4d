/// An archive, which saves a player's state from one run of the program to the next. The program implements `PlayerArchive` with a database.
///
/// No function of a `PlayerArchive` blocks. Any thread may call the functions.
public protocol PlayerArchive: AnyObject, Sendable {
    /// Saves the state of a player. If several states arrive during one write, only the newest is written.
    func keep(_ player: SavedPlayer)
    /// Saves the position of a medium, and removes the positions of the media with the URLs `urls`.
    func keep(_ position: MediaPosition, removing urls: [[UInt8]])
    /// Waits until all data that the archive has received so far are saved, or cannot be saved, or until `endLongWaits` ends the wait.
    func settle() async
    /// Ends all waits of `settle` if the present write has taken too long. Returns whether a write is in progress.
    func endLongWaits() -> Bool
}
