/// The description of an output, and how its device is attached.
public struct OutputDescription: Sendable, Hashable {
    /// The kind of output: `pulse`, `alsa`, `null` or `file`.
    public var kind: String
    /// The stable name: that of PulseAudio's sink or of ALSA's device, or the path of a file; empty if there is none.
    public var id: String
    /// The name for users.
    public var name: String
    /// The attachment of the device; nil without a sound server.
    public var connector: OutputConnector?
    /// The format in which the device plays, or that of the file; nil if the output has neither.
    public var device: DeviceFormat?

    public init(kind: String, id: String, name: String, connector: OutputConnector? = nil, device: DeviceFormat? = nil) {
        self.kind = kind; self.id = id; self.name = name; self.connector = connector; self.device = device
    }
}

/// The format in which a device plays. The sound server converts streams of another format.
public struct DeviceFormat: Sendable, Hashable {
    /// The frames per second.
    public var sampleRate: Int
    public var channels: Int
    /// The speakers; nil if they are unknown, or if the channels of each stream are played unchanged.
    public var layout: ChannelLayout?
    /// The bits of a sample; 24 for 32-bit floats.
    public var bitsPerSample: Int?
    /// The rate at which the sound server mixes all streams before it converts to the device's rate; nil if that is the same.
    public var clockRate: Int?
    /// The dither with which the player rounds to `bitsPerSample`; `none` if a sound server rounds.
    public var dither: Dither

    public init(
        sampleRate: Int, channels: Int, layout: ChannelLayout? = nil, bitsPerSample: Int? = nil, clockRate: Int? = nil, dither: Dither = .none
    ) {
        (self.sampleRate, self.channels, self.layout, self.bitsPerSample) = (sampleRate, channels, layout, bitsPerSample)
        (self.clockRate, self.dither) = (clockRate, dither)
    }
}

/// The attachment of a device, as PulseAudio describes it (R-LNX-07).
public struct OutputConnector: Sendable, Hashable {
    /// The type of the active port, as `pactl` prints it (`HDMI`, `Headphones`); nil without a port.
    public var portType: String?
    /// The module that created the device.
    public var driver: String
    /// The bus of the device: `pci`, `usb` or `bluetooth`.
    public var bus: String?
    /// The profile of a Bluetooth device (`a2dp_sink` of PulseAudio, `a2dp-sink` of PipeWire, `headset_head_unit`, …); nil of other devices.
    public var profile: String?
    public init(portType: String?, driver: String, bus: String?, profile: String? = nil) {
        self.portType = portType; self.driver = driver; self.bus = bus; self.profile = profile
    }
}
