import CPulse
import PlaybackEngine

/// A sink of the PulseAudio server.
struct PulseDevice: Sendable {
    /// The device's stable name.
    var name: String
    /// The device's name for users.
    var description: String
    /// Whether the volume of each stream is on the device's scale (flat volumes), so that a stream at full volume raises the device's volume.
    var hasFlatVolume: Bool
    /// Whether audio that the device has received can be replaced. The server does not report this, so it is assumed for `rewindingDrivers` if the
    /// server adapts the latency to the streams (PA_SINK_DYNAMIC_LATENCY).
    var rewinds: Bool
    /// The layout of the device's channels; nil if `ChannelLayout` has no equivalent of a channel.
    var speakers: ChannelLayout?
    /// The format of the device, to which the server converts other formats.
    var format: DeviceFormat?
    /// In frames per second.
    var sampleRate: Int? { format?.sampleRate }
    var connector = OutputConnector(portType: nil, driver: "", bus: nil)
    /// The volume, 0…1 on the server's scale; 0 while the device is muted.
    var volume: Float = 1
    var isSuspended = false
    /// Whether the device plays; while our own stream is stopped, it is another program's audio.
    var isRunning = false

    /// False for the null sink, which the server creates if the computer has no output device.
    var isAudible: Bool { name != "auto_null" }

    private static let rewindingDrivers: Set = ["module-alsa-card.c", "module-alsa-sink.c", "module-null-sink.c"]

    init(name: String, description: String, hasFlatVolume: Bool = false, rewinds: Bool = false) {
        self.name = name
        self.description = description
        self.hasFlatVolume = hasFlatVolume
        self.rewinds = rewinds
    }

    fileprivate init?(_ info: pa_sink_info) {
        guard let name = info.name.map({ String(cString: $0) }) else { return nil }
        self.init(
            name: name, description: info.description.map { String(cString: $0) } ?? name,
            hasFlatVolume: info.flags.rawValue & PA_SINK_FLAT_VOLUME.rawValue != 0,
            rewinds: info.flags.rawValue & PA_SINK_DYNAMIC_LATENCY.rawValue != 0
                && Self.rewindingDrivers.contains(info.driver.map { String(cString: $0) } ?? ""))
        speakers = ChannelLayout(info.channel_map)
        if info.sample_spec.rate > 0, info.sample_spec.channels > 0 {
            format = DeviceFormat(
                sampleRate: Int(info.sample_spec.rate), channels: Int(info.sample_spec.channels), layout: speakers,
                bitsPerSample: Self.bits[info.sample_spec.format])
        }
        let property: (String) -> String? = { key in info.proplist.flatMap { pa_proplist_gets($0, key) }.map { String(cString: $0) } }
        connector = OutputConnector(
            portType: info.active_port.flatMap { Self.portTypes[pa_device_port_type(rawValue: $0.pointee.type)] },
            driver: info.driver.map { String(cString: $0) } ?? "", bus: property(PA_PROP_DEVICE_BUS),
            profile: property("bluetooth.protocol") ?? property("api.bluez5.profile"))
        var channels = info.volume
        volume = info.mute != 0 ? 0 : Float(min(1, PulseQuery.volume(pa_cvolume_max(&channels))))
        isSuspended = info.state == PA_SINK_SUSPENDED
        isRunning = info.state == PA_SINK_RUNNING
    }

    /// The significant bits of a sample in each format; A-law and µ-law count as 8, floats as the 24 of their significand.
    private static let bits: [pa_sample_format_t: Int] = [
        PA_SAMPLE_U8: 8, PA_SAMPLE_ALAW: 8, PA_SAMPLE_ULAW: 8, PA_SAMPLE_S16LE: 16, PA_SAMPLE_S16BE: 16, PA_SAMPLE_FLOAT32LE: 24,
        PA_SAMPLE_FLOAT32BE: 24, PA_SAMPLE_S32LE: 32, PA_SAMPLE_S32BE: 32, PA_SAMPLE_S24LE: 24, PA_SAMPLE_S24BE: 24, PA_SAMPLE_S24_32LE: 24,
        PA_SAMPLE_S24_32BE: 24,
    ]

    /// The port types that `AVAudioSession.Port` distinguishes, with the names that `pactl` prints.
    private static let portTypes: [pa_device_port_type: String] = [
        PA_DEVICE_PORT_TYPE_AUX: "Aux", PA_DEVICE_PORT_TYPE_SPEAKER: "Speaker", PA_DEVICE_PORT_TYPE_HEADPHONES: "Headphones",
        PA_DEVICE_PORT_TYPE_LINE: "Line", PA_DEVICE_PORT_TYPE_HEADSET: "Headset", PA_DEVICE_PORT_TYPE_SPDIF: "SPDIF",
        PA_DEVICE_PORT_TYPE_HDMI: "HDMI", PA_DEVICE_PORT_TYPE_USB: "USB", PA_DEVICE_PORT_TYPE_BLUETOOTH: "Bluetooth",
        PA_DEVICE_PORT_TYPE_HANDSFREE: "Handsfree", PA_DEVICE_PORT_TYPE_ANALOG: "Analog",
    ]
}

/// Looks up sinks by name, and moves a stream. The callers hold the lock of libpulse's mainloop.
final class PulseDevices {
    private let context: OpaquePointer
    /// The callbacks of the look-ups without reply, in the order of the look-ups, in which the server replies.
    private var pending: [(PulseDevice?) -> Void] = []
    private var latest: PulseDevice?
    private var pendingMove: (() -> Void)?

    init(context: OpaquePointer) { self.context = context }

    /// `answer` is called on libpulse's thread, with nil if there is no such device; at once with nil if libpulse refuses; not at all if the
    /// connection ends.
    func lookUp(_ name: String, answer: @escaping (PulseDevice?) -> Void) {
        let operation = pa_context_get_sink_info_by_name(context, name, pulseSinkFound, Unmanaged.passUnretained(self).toOpaque())
        guard let operation else { return answer(nil) }
        pa_operation_unref(operation)
        pending.append(answer)
    }

    /// `answer` is called on libpulse's thread, also if the server has refused; at once if libpulse refuses.
    func move(stream: UInt32, to name: String, answer: @escaping () -> Void) {
        let operation = pa_context_move_sink_input_by_name(context, stream, name, pulseStreamWasMoved, Unmanaged.passUnretained(self).toOpaque())
        guard let operation else { return answer() }
        pa_operation_unref(operation)
        pendingMove = answer
    }

    func moveAnswered() {
        let answer = pendingMove
        pendingMove = nil
        answer?()
    }

    /// Handles a part of the reply to a look-up: the facts about the sink, or the end of the reply (`isLast`).
    func found(_ info: pa_sink_info?, isLast: Bool) {
        if let info { latest = PulseDevice(info) }
        guard isLast, !pending.isEmpty else { return }
        let answer = pending.removeFirst()
        let device = latest
        latest = nil
        answer(device)
    }
}
