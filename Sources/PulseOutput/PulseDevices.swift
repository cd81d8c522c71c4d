import CPulse
import PlaybackEngine

/// The facts about a sink (an output device) of the PulseAudio server.
struct PulseDevice: Sendable {
    /// The stable identifier of the device.
    var name: String
    /// The name of the device that is shown to users.
    var description: String
    /// Whether the device has flat volumes. The volume of each stream is then on the scale of the device, and a stream at full volume raises the
    /// volume of the device.
    var hasFlatVolume: Bool
    /// Whether the device can be rewound: audio that the device has received and not played yet can be replaced. The PulseAudio server does not
    /// report this. So it is assumed if the driver of the device is in `rewindingDrivers`, and the server adapts the latency of the device to its
    /// streams (PA_SINK_DYNAMIC_LATENCY).
    var rewinds: Bool
    /// The channel layout of the device; nil if `ChannelLayout` has no equivalent of one of the channels.
    var speakers: ChannelLayout?
    /// The format in which the device plays: sample rate, channels and bits; nil if it is unknown. The server converts streams of other formats.
    var format: DeviceFormat?
    /// The sample rate of the device, in frames per second; nil if it is unknown.
    var sampleRate: Int? { format?.sampleRate }
    /// The connector of the output device, for example a headphone jack, HDMI or USB.
    var connector = OutputConnector(portType: nil, driver: "", bus: nil)
    /// Whether the PulseAudio server has suspended the output device.
    var isSuspended = false
    /// Whether the device plays audio. If it plays while our own stream is stopped, it plays the audio of another program.
    var isRunning = false

    /// Whether the output device can be heard; false for the null sink, which the PulseAudio server creates if the computer has no output device.
    var isAudible: Bool { name != "auto_null" }

    /// The drivers of PulseAudio whose devices can be rewound: audio that such a device has received can be replaced.
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
        connector = OutputConnector(
            portType: info.active_port.flatMap { Self.portTypes[pa_device_port_type(rawValue: $0.pointee.type)] },
            driver: info.driver.map { String(cString: $0) } ?? "",
            bus: info.proplist.flatMap { pa_proplist_gets($0, PA_PROP_DEVICE_BUS) }.map { String(cString: $0) })
        isSuspended = info.state == PA_SINK_SUSPENDED
        isRunning = info.state == PA_SINK_RUNNING
    }

    /// The number of significant bits of each of PulseAudio's sample formats. The two formats of telephony (A-law and µ-law) count as 8 bits, floats
    /// as the 24 bits of their significand.
    private static let bits: [pa_sample_format_t: Int] = [
        PA_SAMPLE_U8: 8, PA_SAMPLE_ALAW: 8, PA_SAMPLE_ULAW: 8, PA_SAMPLE_S16LE: 16, PA_SAMPLE_S16BE: 16, PA_SAMPLE_FLOAT32LE: 24,
        PA_SAMPLE_FLOAT32BE: 24, PA_SAMPLE_S32LE: 32, PA_SAMPLE_S32BE: 32, PA_SAMPLE_S24LE: 24, PA_SAMPLE_S24BE: 24, PA_SAMPLE_S24_32LE: 24,
        PA_SAMPLE_S24_32BE: 24,
    ]

    /// The names of those types of device ports that AVFoundation distinguishes. They are the names that the command `pactl` prints.
    private static let portTypes: [pa_device_port_type: String] = [
        PA_DEVICE_PORT_TYPE_AUX: "Aux", PA_DEVICE_PORT_TYPE_SPEAKER: "Speaker", PA_DEVICE_PORT_TYPE_HEADPHONES: "Headphones",
        PA_DEVICE_PORT_TYPE_LINE: "Line", PA_DEVICE_PORT_TYPE_HEADSET: "Headset", PA_DEVICE_PORT_TYPE_SPDIF: "SPDIF",
        PA_DEVICE_PORT_TYPE_HDMI: "HDMI", PA_DEVICE_PORT_TYPE_USB: "USB", PA_DEVICE_PORT_TYPE_BLUETOOTH: "Bluetooth",
        PA_DEVICE_PORT_TYPE_HANDSFREE: "Handsfree", PA_DEVICE_PORT_TYPE_ANALOG: "Analog",
    ]
}

/// Looks up sinks (output devices) of the PulseAudio server by name, and moves a stream to one of them. All calls need the lock of libpulse's
/// mainloop. A `PulseDevices` lives as long as the connection to the server.
final class PulseDevices {
    private let context: OpaquePointer
    /// The callbacks of the device look-ups that have no reply yet, in the order of the look-ups. The PulseAudio server replies in the order of the
    /// look-ups.
    private var pending: [(PulseDevice?) -> Void] = []
    private var latest: PulseDevice?
    /// The callback of the move that has no reply yet; nil if no move is in progress.
    private var pendingMove: (() -> Void)?

    init(context: OpaquePointer) { self.context = context }

    /// Looks up the output device called `name`. The function `answer` receives the device, on the thread of libpulse's mainloop; nil if the server
    /// has no device of this name. If the connection to the server ends before the reply, `answer` is not called.
    func lookUp(_ name: String, answer: @escaping (PulseDevice?) -> Void) {
        let operation = pa_context_get_sink_info_by_name(context, name, pulseSinkFound, Unmanaged.passUnretained(self).toOpaque())
        guard let operation else { return answer(nil) }
        pa_operation_unref(operation)
        pending.append(answer)
    }

    /// Moves the stream with the number `stream` to the output device called `name`. The function `answer` is called after the server's reply, on the
    /// thread of libpulse's mainloop, also if the server has refused the move.
    func move(stream: UInt32, to name: String, answer: @escaping () -> Void) {
        let operation = pa_context_move_sink_input_by_name(context, stream, name, pulseStreamWasMoved, Unmanaged.passUnretained(self).toOpaque())
        guard let operation else { return answer() }
        pa_operation_unref(operation)
        pendingMove = answer
    }

    /// Handles the PulseAudio server's reply to a move of the stream.
    func moveAnswered() {
        let answer = pendingMove
        pendingMove = nil
        answer?()
    }

    /// Handles a part of the PulseAudio server's reply to a look-up of a device: the facts about the device (`info`), or the end of the reply
    /// (`isLast`).
    func found(_ info: pa_sink_info?, isLast: Bool) {
        if let info { latest = PulseDevice(info) }
        guard isLast, !pending.isEmpty else { return }
        let answer = pending.removeFirst()
        let device = latest
        latest = nil
        answer(device)
    }
}
