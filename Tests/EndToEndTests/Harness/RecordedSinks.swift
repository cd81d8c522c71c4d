import PlaybackTesting

/// A sound server with several devices, each of which is recorded. The devices are pipes, which receive exactly what hardware would receive.
final class RecordedSinks {
    /// The sample formats of devices, as PulseAudio names them.
    enum Depth: String, CaseIterable {
        case s16le, s24le, s32le, float32le
        var bytes: Int { self == .s16le ? 2 : self == .s24le ? 3 : 4 }
    }

    struct Device {
        var name: String
        var rate: Int
        var depth = Depth.s32le
        var channels = 2
        /// PulseAudio's names of the channels, separated by commas; nil for PulseAudio's default.
        var map: String?
    }

    let server: PrivatePulseServer
    let devices: [Device]
    private let folder: MediaFolder
    private let recordings: [PulseRecording]

    init(_ devices: [Device]) throws {
        let folder = try MediaFolder()
        let modules = devices.map { device in
            "module-pipe-sink sink_name=\(device.name) file=\(folder.file(device.name)) rate=\(device.rate) format=\(device.depth.rawValue)"
                + " channels=\(device.channels) use_system_clock_for_timing=yes" + (device.map.map { " channel_map=\($0)" } ?? "")
        }
        server = try PrivatePulseServer(.none, modules: modules)
        recordings = try devices.map {
            try PulseRecording(
                fifo: folder.file($0.name), sampleRate: $0.rate, channelCount: $0.channels, bytesPerSample: $0.depth.bytes,
                isFloat: $0.depth == .float32le)
        }
        self.devices = devices
        self.folder = folder
    }

    deinit { server.stop() }

    func recording(_ name: String) -> PulseRecording { recordings[index(name)] }

    private func index(_ name: String) -> Int {
        guard let index = devices.firstIndex(where: { $0.name == name }) else { preconditionFailure("there is no device \(name)") }
        return index
    }
}
