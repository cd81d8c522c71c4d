public import PlaybackEngine

/// Creates `PulseSink`s, which play through PulseAudio.
public struct PulseOutputProvider: OutputProvider {
    /// The sound server to play on, as in the environment variable PULSE_SERVER. Nil means the value of PULSE_SERVER, or the user's own sound server
    /// if that variable is not set.
    public var server: String?
    /// The name of PulseAudio's sink (an output device) to play on. Nil means the value of the environment variable PULSE_SINK, or the server's
    /// default sink if that variable is not set.
    public var sinkName: String?
    /// The name of this program that volume mixers show.
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
