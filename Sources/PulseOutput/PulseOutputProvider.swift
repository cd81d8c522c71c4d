public import PlaybackEngine

/// Makes sinks that play through PulseAudio.
public struct PulseOutputProvider: OutputProvider {
    /// A server string as in PULSE_SERVER; nil for that variable, else the user's own server.
    public var server: String?
    /// A sink's name; nil for PULSE_SINK, else the server's default.
    public var sinkName: String?
    /// What a mixer shows.
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
