public import PlaybackEngine

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
