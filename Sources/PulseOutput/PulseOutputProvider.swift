public import PlaybackEngine

/// Creates sinks that play through PulseAudio.
public struct PulseOutputProvider: OutputProvider {
    /// A server string as in PULSE_SERVER; nil for that variable, otherwise the user's own server.
    public var server: String?
    /// The name of a sink; nil for PULSE_SINK, otherwise the server's default.
    public var sinkName: String?
    /// The name of the program in mixers.
    public var applicationName: String

    public init(server: String? = nil, sinkName: String? = nil, applicationName: String = "Tonearm") {
        self.server = server
        self.sinkName = sinkName
        self.applicationName = applicationName
    }

    public func makeSink() -> any AudioSink {
        PulseSink(server: server, sinkName: sinkName, applicationName: applicationName)
    }
}
