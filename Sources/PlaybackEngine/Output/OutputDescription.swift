/// The description of an output: its kind, its id, its name and the attachment of its device.
public struct OutputDescription: Sendable, Hashable {
    /// The kind of the output: `pulse`, `null` or `file`.
    public var kind: String
    /// The device's stable name (the name of PulseAudio's sink, or the path of a file); empty if the device has none.
    public var id: String
    /// The name of the output that is shown to users.
    public var name: String
    /// How the device is attached (type of port, such as HDMI; driver module; bus, such as `usb`); nil if the output has no sound server.
    public var connector: OutputConnector?
    /// The format in which the device plays, or of the file to which the output writes; nil if the output has neither.
    public var device: DeviceFormat?

    /// Makes the description of an output.
    ///
    /// - Parameters:
    ///   - kind: `pulse`, `null` or `file`.
    ///   - id: the device's stable name, empty if the device has none.
    ///   - name: the text that users see for the output.
    ///   - connector: how the device is attached (port type, driver module, bus); nil if the output has no sound server.
    ///   - device: the format in which the device plays, or of the file to which the output writes; nil if the output has neither.
    public init(kind: String, id: String, name: String, connector: OutputConnector? = nil, device: DeviceFormat? = nil) {
        self.kind = kind; self.id = id; self.name = name; self.connector = connector; self.device = device
    }
}

/// The format in which a device plays. The sound server converts streams of another format.
public struct DeviceFormat: Sendable, Hashable {
    /// The sample rate, in frames per second.
    public var sampleRate: Int
    public var channels: Int
    /// The speakers of the channels; nil if they are unknown, or if the output plays the channels of each stream unchanged.
    public var layout: ChannelLayout?
    /// The number of bits of a sample that the device plays (24 for 32-bit floats); nil if it is unknown.
    public var bitsPerSample: Int?
    /// The rate at which the sound server mixes the audio of all streams before it converts to the device's rate, in frames per second; nil if it
    /// mixes at the device's rate.
    public var clockRate: Int?
    /// The noise with which the player rounds samples to `bitsPerSample` bits; `none` if a sound server rounds them.
    public var dither: Dither

    public init(
        sampleRate: Int, channels: Int, layout: ChannelLayout? = nil, bitsPerSample: Int? = nil, clockRate: Int? = nil, dither: Dither = .none
    ) {
        (self.sampleRate, self.channels, self.layout, self.bitsPerSample) = (sampleRate, channels, layout, bitsPerSample)
        (self.clockRate, self.dither) = (clockRate, dither)
    }
}

/// How a device is attached to the machine, as PulseAudio describes it: its active port (for example HDMI or headphones), the module that drives it,
/// and its bus (R-LNX-07).
public struct OutputConnector: Sendable, Hashable {
    /// The type of the device's active port, as `pactl` prints it, for example `HDMI` or `Headphones`; nil if the device has no port.
    public var portType: String?
    /// The name of the sound server's module that created the device.
    public var driver: String
    /// The bus to which the device is connected: `pci`, `usb` or `bluetooth`; nil if the bus is not known.
    public var bus: String?
    /// Makes the description of a device's attachment.
    ///
    /// - Parameters:
    ///   - portType: the type of the device's active port, as `pactl` prints it; nil if the device has no port.
    ///   - driver: the name of the sound server's module that created the device.
    ///   - bus: `pci`, `usb` or `bluetooth`; nil if the bus is not known.
    public init(portType: String?, driver: String, bus: String?) { self.portType = portType; self.driver = driver; self.bus = bus }
}
