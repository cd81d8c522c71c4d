public import PlaybackEngine

/// Outputs that play through PulseAudio.
public struct PulseOutputProvider: OutputProvider {
    /// The server in the syntax of PULSE_SERVER; nil for that variable, or else the user's own server.
    public var server: String?
    /// The name of a PulseAudio sink; nil for the one in the variable PULSE_SINK, or else the default sink.
    public var sinkName: String?
    /// The name that volume mixers show.
    public var applicationName: String
    /// The time limit of a command, in seconds.
    var patience = PulseConnection.patience
    /// Observed rates of devices, which show the rate of the server's clock.
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
    /// The time limit of a query for devices, in seconds.
    private static let patience = 2.0

    /// The driver of the sound server that PULSE_SERVER names.
    public static let pulse = OutputDriver(
        id: "pulse", name: "Default device of the sound server", isAutomatic: true,
        devices: { PulseQuery.sinks(timeout: patience).map { Device(id: $0.name, name: $0.description, volume: $0.volume) } },
        setVolume: { PulseQuery.setVolume(of: $0, volume: $1, isMuted: $2, timeout: patience) },
        watch: { PulsePresence(report: $0) },
        provider: { PulseOutputProvider(sinkName: $0) })
}
