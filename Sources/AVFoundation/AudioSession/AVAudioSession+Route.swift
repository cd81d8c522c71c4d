extension AVAudioSession {
    /// The type of a port of an audio route: headphones, HDMI, USB, … (R-ROUTE-05). Port types with other values are possible.
    public struct Port: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        public static let headphones = Port(rawValue: "Headphones")
        public static let lineOut = Port(rawValue: "LineOut")
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        public static let HDMI = Port(rawValue: "HDMIOutput")
        public static let airPlay = Port(rawValue: "AirPlay")
        public static let usbAudio = Port(rawValue: "USBAudio")
        public static let displayPort = Port(rawValue: "DisplayPort")
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        public static let lineIn = Port(rawValue: "LineIn")
        public static let virtual = Port(rawValue: "Virtual")

        /// Maps a PulseAudio sink to a port type, from the properties that the server reports (R-LNX-07, R-LNX-38).
        ///
        /// - Parameters:
        ///   - portType: The name of the active port's type, as `pactl` prints it; nil if the sink has no port.
        ///   - driver: The name of the sound server's module that created the sink.
        ///   - bus: The sink's property `device.bus`; nil if the sink has no such property.
        public init(pulsePortType portType: String?, driver: String, bus: String?) {
            if driver.contains("raop") {
                self = .airPlay
                return
            }
            switch (portType?.lowercased(), bus) {
            case ("headphones"?, _): self = .headphones
            case ("headset"?, "bluetooth"?), ("handsfree"?, _): self = .bluetoothHFP
            case ("headset"?, _): self = .headphones
            case ("hdmi"?, _): self = .HDMI
            case (_, "bluetooth"?), ("bluetooth"?, _): self = .bluetoothA2DP
            case (_, "usb"?), ("usb"?, _): self = .usbAudio
            case ("line"?, _), ("spdif"?, _), ("aux"?, _): self = .lineOut
            case ("speaker"?, _), ("analog"?, _): self = .builtInSpeaker
            default: self = driver.contains("null") || driver.contains("pipe") ? .virtual : .lineOut
            }
        }

        /// Whether listeners wear a device of this port type. After a worn device is removed, playback must not continue on loudspeakers (R-LNX-27).
        public var isWorn: Bool { [.headphones, .bluetoothA2DP, .bluetoothHFP].contains(self) }
    }
}

/// One channel of an audio port, for example the left channel of headphones.
public struct AVAudioSessionChannelDescription: Sendable, Hashable {
    public var channelName: String
    public var owningPortUID: String
    /// The number of the port's channel. The first channel of a port has the number 1.
    public var channelNumber: Int
    public init(channelName: String, owningPortUID: String, channelNumber: Int) {
        self.channelName = channelName
        self.owningPortUID = owningPortUID
        self.channelNumber = channelNumber
    }
}

/// A port of an audio route: headphones, a line output, a microphone, … (R-ROUTE-05).
public struct AVAudioSessionPortDescription: Sendable, Hashable {
    public var portType: AVAudioSession.Port
    /// The name of the port for users.
    public var portName: String
    /// The stable identifier of the port.
    public var uid: String
    public var channels: [AVAudioSessionChannelDescription]?
    public init(portType: AVAudioSession.Port, portName: String, uid: String, channels: [AVAudioSessionChannelDescription]? = nil) {
        self.portType = portType
        self.portName = portName
        self.uid = uid
        self.channels = channels
    }
}

/// An audio route: the input ports and output ports in use (R-ROUTE-05).
public struct AVAudioSessionRouteDescription: Sendable, Hashable {
    public var inputs: [AVAudioSessionPortDescription]
    public var outputs: [AVAudioSessionPortDescription]
    public init(inputs: [AVAudioSessionPortDescription] = [], outputs: [AVAudioSessionPortDescription] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }
}
