public import PlaybackEngine

/// An output that clients can choose.
public struct OutputChoice: Sendable, Hashable {
    /// The id of the output in requests: `auto`, `null`, `file`, `pulse`, or `pulse:` and a sink's name.
    public var id: String
    public var kind: OutputKind
    /// The name of the output that is shown to users.
    public var name: String
    /// The stable id of the chosen device, as in `PlayerState.Output`; nil if any device of the kind fulfils the choice.
    public var device: String?
    /// The volume of the device; nil if the output has none.
    public var volume: DeviceVolume?
    public init(id: String, kind: OutputKind, name: String, device: String? = nil, volume: DeviceVolume? = nil) {
        self.id = id; self.kind = kind; self.name = name; self.device = device; self.volume = volume
    }
}
