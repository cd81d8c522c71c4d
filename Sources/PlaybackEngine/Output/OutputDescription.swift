/// What an output is called.
public struct OutputDescription: Sendable, Hashable {
    /// `pulse`, `null`, `file`.
    public var kind: String
    /// The device's stable name (a sink's name, a path), empty where there is none.
    public var id: String
    /// What a person calls it.
    public var name: String
    /// What the sound server says of where it comes out; nil where there is no server.
    public var connector: OutputConnector?
    /// The name of an output.
    ///
    /// - Parameters:
    ///   - kind: `pulse`, `null`, `file`.
    ///   - id: the device's stable name, empty where there is none.
    ///   - name: what a person calls it.
    ///   - connector: what the sound server says of where it comes out.
    public init(kind: String, id: String, name: String, connector: OutputConnector? = nil) {
        self.kind = kind; self.id = id; self.name = name; self.connector = connector
    }
}
