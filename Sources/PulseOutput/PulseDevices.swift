import CPulse
import PlaybackEngine

/// The facts about a sink (an output device) of the PulseAudio server.
struct PulseDevice: Sendable {
    /// The stable identifier of PulseAudio's sink (an output device).
    var name: String
    /// The name of PulseAudio's sink (an output device), for users.
    var description: String
    /// Whether the volumes of streams are on the device's scale (PulseAudio's flat volumes). With flat volumes, a stream at full volume raises the
    /// volume of the device.
    var hasFlatVolume: Bool
    /// Whether the device can be rewound: audio that the device has received and not played yet can be replaced. The PulseAudio server does not
    /// report whether a device can be rewound. Devices of the drivers in `rewindingDrivers` can be rewound if the server chooses their latency.
    var rewinds: Bool
    /// The channel layout of PulseAudio's sink (an output device); nil if one of its channels has no name.
    var speakers: ChannelLayout?
    /// The connector of the output device (the type of its port, its driver and its bus), as the server reports it.
    var connector = OutputConnector(portType: nil, driver: "", bus: nil)
    /// Whether the PulseAudio server has suspended the output device.
    var isSuspended = false

    /// Whether the output device is real. `isAudible` is false for the null sink, which the server creates if it has no device.
    var isAudible: Bool { name != "auto_null" }

    /// The drivers of PulseAudio whose devices can be rewound (audio in them can be replaced).
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
        connector = OutputConnector(
            portType: info.active_port.flatMap { Self.portTypes[pa_device_port_type(rawValue: $0.pointee.type)] },
            driver: info.driver.map { String(cString: $0) } ?? "",
            bus: info.proplist.flatMap { pa_proplist_gets($0, PA_PROP_DEVICE_BUS) }.map { String(cString: $0) })
        isSuspended = info.state == PA_SINK_SUSPENDED
    }

    /// The types of device ports that AVFoundation distinguishes, as `pactl` prints them.
    private static let portTypes: [pa_device_port_type: String] = [
        PA_DEVICE_PORT_TYPE_AUX: "Aux", PA_DEVICE_PORT_TYPE_SPEAKER: "Speaker", PA_DEVICE_PORT_TYPE_HEADPHONES: "Headphones",
        PA_DEVICE_PORT_TYPE_LINE: "Line", PA_DEVICE_PORT_TYPE_HEADSET: "Headset", PA_DEVICE_PORT_TYPE_SPDIF: "SPDIF",
        PA_DEVICE_PORT_TYPE_HDMI: "HDMI", PA_DEVICE_PORT_TYPE_USB: "USB", PA_DEVICE_PORT_TYPE_BLUETOOTH: "Bluetooth",
        PA_DEVICE_PORT_TYPE_HANDSFREE: "Handsfree", PA_DEVICE_PORT_TYPE_ANALOG: "Analog",
    ]
}

/// Looks up sinks (output devices) of the PulseAudio server by name. All calls of `PulseDevices` need the lock of libpulse's mainloop. A
/// `PulseDevices` lives as long as the connection to the server.
final class PulseDevices {
    private let context: OpaquePointer
    /// The callbacks of the device look-ups that have no reply yet, oldest first: the server replies in order.
    private var pending: [(PulseDevice?) -> Void] = []
    private var latest: PulseDevice?

    init(context: OpaquePointer) { self.context = context }

    /// Looks up PulseAudio's sink (an output device) called `name`. The function `answer` is called on the thread of libpulse's mainloop, with nil if
    /// the server has no such device. The function `answer` is not called if the connection to the server ends first.
    func lookUp(_ name: String, answer: @escaping (PulseDevice?) -> Void) {
        let operation = pa_context_get_sink_info_by_name(context, name, pulseSinkFound, Unmanaged.passUnretained(self).toOpaque())
        guard let operation else { return answer(nil) }
        pa_operation_unref(operation)
        pending.append(answer)
    }

    /// Handles a part of the server's reply to a look-up of a device (`info`), or the end of the reply (`isLast`).
    func found(_ info: pa_sink_info?, isLast: Bool) {
        if let info { latest = PulseDevice(info) }
        guard isLast, !pending.isEmpty else { return }
        let answer = pending.removeFirst()
        let device = latest
        latest = nil
        answer(device)
    }
}
