/// An output that can be chosen.
public struct OutputChoice: Sendable, Hashable {
    /// Names it in a request: `auto`, `null`, `file`, `pulse`, or `pulse:` and a sink's name.
    public var id: String
    public var kind: OutputKind
    /// What a person calls it.
    public var name: String
    /// The device's stable name as the state tells it; nil where any of the kind will do.
    public var device: String?
    public init(id: String, kind: OutputKind, name: String, device: String? = nil) {
        self.id = id; self.kind = kind; self.name = name; self.device = device
    }
}
