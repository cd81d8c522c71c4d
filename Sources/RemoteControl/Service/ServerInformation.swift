/// What `GET /api/v1` says about this server.
public struct ServerInformation: Sendable {
    /// A part of the API that not every server offers.
    public enum Capability: String, Sendable, CaseIterable {
        /// Clients may choose the output (`setOutput`).
        case outputChoice
        /// The server scales pictures (`getArtwork` with `size`).
        case artworkScaling
        /// Clients may browse folders (`listLibrary`), because at least one media root is set.
        case library
        /// Requests need a token.
        case authentication
    }

    /// The name of the player, for people.
    public var name: String
    /// The identifier of the player, which stays the same as long as its state is kept. Clients tell players apart by it.
    public var id: String
    /// The version of the program.
    public var version: String

    /// Creates the information.
    public init(name: String, id: String, version: String) {
        self.name = name
        self.id = id
        self.version = version
    }
}
