public import PlaybackEngine

/// Outputs that play through PulseAudio.
public struct PulseOutputProvider: OutputProvider {
    /// In the syntax of PULSE_SERVER; nil for that variable, or else the user's own server.
    public var server: String?
    /// A sink of PulseAudio; nil for PULSE_SINK, or else the default sink.
    public var sinkName: String?
    /// As volume mixers show it.
    public var applicationName: String
    /// Of a command, in seconds.
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
    /// Of a query for devices, in seconds.
    private static let patience = 2.0

    /// On the server that PULSE_SERVER names.
    public static let pulse = OutputDriver(
        id: "pulse", name: "Default device of the sound server",
        devices: { PulseQuery.sinks(timeout: patience).map { Device(id: $0.name, name: $0.description, volume: $0.volume) } },
        setVolume: { PulseQuery.setVolume(of: $0, volume: $1, isMuted: $2, timeout: patience) },
        connect: { PulsePresence(timeout: $0, onLoss: $1) },
        provider: { PulseOutputProvider(sinkName: $0) })
}
