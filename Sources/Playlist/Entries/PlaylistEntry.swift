/// An entry of the playlist. The id of an entry never changes, and is not reused while the program runs.
public struct PlaylistEntry: Sendable, Hashable, Identifiable {
    public let id: String
    public var spec: EntrySpec
    public init(id: String, spec: EntrySpec) {
        self.id = id
        self.spec = spec
    }
}
