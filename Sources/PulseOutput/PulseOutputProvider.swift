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

extension OutputDriver {
    /// The maximum duration of a query for the PulseAudio server's devices, in seconds.
    private static let patience = 2.0

    /// The driver for the devices of the PulseAudio server that the environment variable PULSE_SERVER names.
    public static let pulse = OutputDriver(
        id: "pulse", name: "Default device of the sound server",
        devices: { PulseQuery.sinks(timeout: patience).map { Device(id: $0.name, name: $0.description, volume: $0.volume) } },
        setVolume: { PulseQuery.setVolume(of: $0, volume: $1, isMuted: $2, timeout: patience) },
        connect: { PulsePresence(timeout: $0, onLoss: $1) },
        provider: { PulseOutputProvider(sinkName: $0) })
}
