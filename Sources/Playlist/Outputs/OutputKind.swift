/// The kind of an output. Each driver has its own kind.
public struct OutputKind: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind while no output has been opened yet.
    public static let none = OutputKind(rawValue: "none")
    /// The first output that can be opened.
    public static let auto = OutputKind(rawValue: "auto")
    /// A device of the PulseAudio server.
    public static let pulse = OutputKind(rawValue: "pulse")
    /// An output without a device, which keeps time in silence.
    public static let null = OutputKind(rawValue: "null")
    /// A WAV file.
    public static let file = OutputKind(rawValue: "file")
}
