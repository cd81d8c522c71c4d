import CPulse
import PlaybackEngine

/// A sink of the server.
struct PulseDevice: Sendable {
    /// Its stable name.
    var name: String
    /// What a person calls it.
    var description: String
    /// Whether the volumes of streams are on the device's scale (flat volumes): then a stream at full volume turns the device up.
    var hasFlatVolume: Bool
    /// Whether it takes back what it has been given and has not played. The server does not tell; these drivers do, where their latency is the server's
    /// to choose.
    var rewinds: Bool
    /// Its speakers, where all of them have a name.
    var speakers: ChannelLayout?
    /// What the server says of where it comes out.
    var connector = OutputConnector(portType: nil, driver: "", bus: nil)
    /// Whether it sleeps.
    var isSuspended = false

    /// False for the sink that the server makes up while it has no device.
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
        connector = OutputConnector(
            portType: info.active_port.flatMap { Self.portTypes[pa_device_port_type(rawValue: $0.pointee.type)] },
            driver: info.driver.map { String(cString: $0) } ?? "",
            bus: info.proplist.flatMap { pa_proplist_gets($0, PA_PROP_DEVICE_BUS) }.map { String(cString: $0) })
        isSuspended = info.state == PA_SINK_SUSPENDED
    }

    /// The types of ports that AVFoundation has a word for, as `pactl` prints them.
    private static let portTypes: [pa_device_port_type: String] = [
        PA_DEVICE_PORT_TYPE_AUX: "Aux", PA_DEVICE_PORT_TYPE_SPEAKER: "Speaker", PA_DEVICE_PORT_TYPE_HEADPHONES: "Headphones",
        PA_DEVICE_PORT_TYPE_LINE: "Line", PA_DEVICE_PORT_TYPE_HEADSET: "Headset", PA_DEVICE_PORT_TYPE_SPDIF: "SPDIF",
        PA_DEVICE_PORT_TYPE_HDMI: "HDMI", PA_DEVICE_PORT_TYPE_USB: "USB", PA_DEVICE_PORT_TYPE_BLUETOOTH: "Bluetooth",
        PA_DEVICE_PORT_TYPE_HANDSFREE: "Handsfree", PA_DEVICE_PORT_TYPE_ANALOG: "Analog",
    ]
}

/// Looks up sinks. Everything under the mainloop's lock; lives as long as the connection.
final class PulseDevices {
    private let context: OpaquePointer
    /// Those who asked, in order: the server answers in order.
    private var questions: [(PulseDevice?) -> Void] = []
    private var latest: PulseDevice?

    init(context: OpaquePointer) { self.context = context }

    /// Asks for the sink called `name`; `answer` is called on the mainloop's thread, with nil where there is none, and not at all where the
    /// connection ends first.
    func lookUp(_ name: String, answer: @escaping (PulseDevice?) -> Void) {
        let operation = pa_context_get_sink_info_by_name(context, name, pulseSinkFound, Unmanaged.passUnretained(self).toOpaque())
        guard let operation else { return answer(nil) }
        pa_operation_unref(operation)
        questions.append(answer)
    }

    /// One part of an answer, or its end.
    func found(_ info: pa_sink_info?, isLast: Bool) {
        if let info { latest = PulseDevice(info) }
        guard isLast, !questions.isEmpty else { return }
        let answer = questions.removeFirst()
        let device = latest
        latest = nil
        answer(device)
    }
}
