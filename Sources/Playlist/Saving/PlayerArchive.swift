/// A place that keeps a player from one run of the program to the next. The program implements the protocol with a database.
///
/// No function blocks. Any thread may call them.
public protocol PlayerArchive: AnyObject, Sendable {
    /// Keeps a player. Of several players that arrive during one write, only the newest is written.
    func keep(_ player: SavedPlayer)
    /// Keeps the position of a medium, and removes the positions of other media.
    func keep(_ position: MediaPosition, removing urls: [[UInt8]])
    /// Returns after all that was given to the archive before is kept, or cannot be kept. The function also returns if this takes too long.
    func settle() async
    /// Ends the waiting of `settle` if a write has taken too long. Returns whether a write is still under way.
    func endLongWaits() -> Bool
}
