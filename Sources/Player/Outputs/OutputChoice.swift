public import PlaybackEngine

/// An output that clients can choose.
public struct OutputChoice: Sendable, Hashable {
    /// The id in requests: `auto`, `null`, `file`, `pulse`, `alsa`, or a driver, a colon and its device.
    public var id: String
    public var kind: OutputKind
    /// The name for users.
    public var name: String
    /// The device, as in `PlayerState.Output`; nil if any device of the kind fulfils the choice.
    public var device: String?
    /// The volume of the device; nil if the output has none.
    public var volume: DeviceVolume?
    public init(id: String, kind: OutputKind, name: String, device: String? = nil, volume: DeviceVolume? = nil) {
        self.id = id; self.kind = kind; self.name = name; self.device = device; self.volume = volume
    }
}

extension OutputChoice {
    /// The choice as the player understands it.
    public var wish: OutputWish { kind == .auto ? .automatic : .output(driver: kind.rawValue, device: device) }

    public func matches(_ output: PlayerState.Output) -> Bool {
        kind == .auto || (output.kind == kind && (device == nil || output.id == device))
    }
}

/// A kind of output; each output driver has a kind of its own.
public struct OutputKind: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind before any output was opened.
    public static let none = OutputKind(rawValue: "none")
    /// The automatic choice: the first sound server or device that is present.
    public static let auto = OutputKind(rawValue: "auto")
    /// An output on a device of the PulseAudio server.
    public static let pulse = OutputKind(rawValue: "pulse")
    /// An output on a device of ALSA, without a sound server.
    public static let alsa = OutputKind(rawValue: "alsa")
    /// An output without a device, which keeps time in silence.
    public static let null = OutputKind(rawValue: "null")
    /// An output to a WAV file.
    public static let file = OutputKind(rawValue: "file")
}

/// The outputs of this computer, which the program implements.
public protocol OutputCatalog: Sendable {
    /// The outputs that can be chosen now. May block for seconds.
    func outputs() -> [OutputChoice]
    /// The id of the choice that was made last. Any thread may read it.
    var chosenID: String { get }
    /// The choice that was made last. Any thread may read it.
    var chosenWish: OutputWish { get }
    /// Sets the volume and the mute of an output's device, if not nil. Returns whether the device has the values then. May block for seconds.
    func setVolume(of choice: OutputChoice, volume: Double?, isMuted: Bool?) -> Bool
    @MainActor func didChoose(_ choice: OutputChoice)
}
