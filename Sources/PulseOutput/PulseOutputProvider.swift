public import PlaybackEngine

/// Creates `PulseSink`s, which play through PulseAudio.
public struct PulseOutputProvider: OutputProvider {
    /// The sound server to play on, in the syntax of the environment variable PULSE_SERVER. Nil means the server that PULSE_SERVER names; if that
    /// variable is not set, the user's own sound server.
    public var server: String?
    /// The name of PulseAudio's sink (an output device) to play on. Nil means the sink that the environment variable PULSE_SINK names; if that
    /// variable is not set, the server's default sink.
    public var sinkName: String?
    /// The name of this program that volume mixers show.
    public var applicationName: String
    /// The maximum duration of a command of the sinks, in seconds.
    var patience = PulseConnection.patience
    /// The rates of devices that the sinks have observed, which show the rate of the server's clock.
    private let clocks = ServerClocks()

    public init(server: String? = nil, sinkName: String? = nil, applicationName: String = "Tonearm") {
        self.server = server
        self.sinkName = sinkName
        self.applicationName = applicationName
    }

    public func makeSink() -> any AudioSink {
        PulseSink(server: server, sinkName: sinkName, applicationName: applicationName, patience: patience, clocks: clocks)
    }
}
