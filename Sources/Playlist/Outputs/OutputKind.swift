/// The kind of an output. Every driver has its own.
public struct OutputKind: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No output has been opened yet.
    public static let none = OutputKind(rawValue: "none")
    /// Whichever output opens first.
    public static let auto = OutputKind(rawValue: "auto")
    /// A device of the PulseAudio server.
    public static let pulse = OutputKind(rawValue: "pulse")
    /// Silence that keeps time.
    public static let null = OutputKind(rawValue: "null")
    /// A file.
    public static let file = OutputKind(rawValue: "file")
}
