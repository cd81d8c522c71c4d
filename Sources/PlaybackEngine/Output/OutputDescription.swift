/// The names of an output.
public struct OutputDescription: Sendable, Hashable {
    /// The kind: `pulse`, `null` or `file`.
    public var kind: String
    /// The device's stable name (a sink's name, a path); empty if there is none.
    public var id: String
    /// The name for users.
    public var name: String
    /// The connector that the sound server reports; nil if there is no server.
    public var connector: OutputConnector?
    /// Makes the names of an output.
    ///
    /// - Parameters:
    ///   - kind: `pulse`, `null` or `file`.
    ///   - id: the device's stable name, empty if there is none.
    ///   - name: the name for users.
    ///   - connector: the connector that the sound server reports.
    public init(kind: String, id: String, name: String, connector: OutputConnector? = nil) {
        self.kind = kind; self.id = id; self.name = name; self.connector = connector
    }
}
