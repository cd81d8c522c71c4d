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

extension OutputChoice {
    /// Returns whether an open output fulfils the client's choice.
    public func matches(_ output: PlayerState.Output) -> Bool {
        kind == .auto || (output.kind == kind && (device == nil || output.id == device))
    }
}

/// The kind of an output. Each driver has its own kind.
public struct OutputKind: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind of the output before any output was opened.
    public static let none = OutputKind(rawValue: "none")
    /// The kind of the choice "automatic": the first output in the list that can be opened.
    public static let auto = OutputKind(rawValue: "auto")
    /// The kind of an output on a device of the PulseAudio server.
    public static let pulse = OutputKind(rawValue: "pulse")
    /// The kind of an output without a device, which keeps time in silence.
    public static let null = OutputKind(rawValue: "null")
    /// The kind of an output that writes a WAV file.
    public static let file = OutputKind(rawValue: "file")
}
