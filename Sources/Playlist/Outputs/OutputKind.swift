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
