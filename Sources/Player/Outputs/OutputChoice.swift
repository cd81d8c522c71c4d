public import PlaybackEngine

/// An output that clients can choose.
public struct OutputChoice: Sendable, Hashable {
    /// In requests: `auto`, `null`, `file`, `pulse`, or `pulse:` and a sink's name.
    public var id: String
    public var kind: OutputKind
    /// For users.
    public var name: String
    /// As in `PlayerState.Output`; nil if any device of the kind fulfils the choice.
    public var device: String?
    /// Nil if the output has none.
    public var volume: DeviceVolume?
    public init(id: String, kind: OutputKind, name: String, device: String? = nil, volume: DeviceVolume? = nil) {
        self.id = id; self.kind = kind; self.name = name; self.device = device; self.volume = volume
    }
}

extension OutputChoice {
    public func matches(_ output: PlayerState.Output) -> Bool {
        kind == .auto || (output.kind == kind && (device == nil || output.id == device))
    }
}

/// Each driver has its own kind.
public struct OutputKind: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Before any output was opened.
    public static let none = OutputKind(rawValue: "none")
    /// The first that opens.
    public static let auto = OutputKind(rawValue: "auto")
    /// On a device of the PulseAudio server.
    public static let pulse = OutputKind(rawValue: "pulse")
    /// Without a device; keeps time in silence.
    public static let null = OutputKind(rawValue: "null")
    /// A WAV file.
    public static let file = OutputKind(rawValue: "file")
}

/// The outputs of this computer, which the program implements.
public protocol OutputCatalog: Sendable {
    /// May block for seconds.
    func outputs() -> [OutputChoice]
    /// Chosen last. Any thread.
    var chosenID: String { get }
    /// Of the output that was chosen last, in the order in which they are tried. Any thread.
    var chosenProviders: [any OutputProvider] { get }
    /// In the order in which they are tried. Any thread.
    func providers(of choice: OutputChoice) -> [any OutputProvider]
    /// Nil changes nothing. Whether the device has the requested values. May block for seconds.
    func setVolume(of choice: OutputChoice, volume: Double?, isMuted: Bool?) -> Bool
    @MainActor func didChoose(_ choice: OutputChoice)
}
