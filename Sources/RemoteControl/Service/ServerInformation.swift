/// The facts about the server that `GET /api/v1` returns.
public struct ServerInformation: Sendable {
    /// A part of the API that not every server offers.
    public enum Capability: String, Sendable, CaseIterable {
        /// The feature that clients may choose the output (`setOutput`).
        case outputChoice
        /// The feature that the server scales pictures (`getArtwork` with `size`).
        case artworkScaling
        /// The feature that clients may browse folders (`listLibrary`), because at least one media root is set.
        case library
        /// The feature that requests need a token.
        case authentication
    }

    /// The name of the player that is shown to users.
    public var name: String
    /// The identifier of the player, by which clients distinguish several players. It stays the same while the player's saved state is kept.
    public var id: String
    /// The version of the program `tonearm`.
    public var version: String

    /// Creates the facts about a server.
    public init(name: String, id: String, version: String) {
        self.name = name
        self.id = id
        self.version = version
    }
}
