extension AVAudioSession {
    /// What kind of connector it is (R-ROUTE-05). Open to more.
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

        /// The connector that a sink of PulseAudio plays to (R-LNX-07, R-LNX-38), by what the server says of it.
        ///
        /// - Parameters:
        ///   - portType: the name of the active port's type, as `pactl` prints it; nil where there is no port.
        ///   - driver: the module that made the sink.
        ///   - bus: the property `device.bus`.
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

        /// What is worn: where it goes, the sound is not to go on aloud (R-LNX-27).
        public var isWorn: Bool { [.headphones, .bluetoothA2DP, .bluetoothHFP].contains(self) }
    }
}

/// One channel of a port.
public struct AVAudioSessionChannelDescription: Sendable, Hashable {
    public var channelName: String
    public var owningPortUID: String
    /// From 1.
    public var channelNumber: Int
    public init(channelName: String, owningPortUID: String, channelNumber: Int) {
        self.channelName = channelName
        self.owningPortUID = owningPortUID
        self.channelNumber = channelNumber
    }
}

/// One connector of a route (R-ROUTE-05).
public struct AVAudioSessionPortDescription: Sendable, Hashable {
    public var portType: AVAudioSession.Port
    /// What a person calls it.
    public var portName: String
    /// Its stable name.
    public var uid: String
    public var channels: [AVAudioSessionChannelDescription]?
    public init(portType: AVAudioSession.Port, portName: String, uid: String, channels: [AVAudioSessionChannelDescription]? = nil) {
        self.portType = portType
        self.portName = portName
        self.uid = uid
        self.channels = channels
    }
}

/// Where sound comes from and where it goes (R-ROUTE-05).
public struct AVAudioSessionRouteDescription: Sendable, Hashable {
    public var inputs: [AVAudioSessionPortDescription]
    public var outputs: [AVAudioSessionPortDescription]
    public init(inputs: [AVAudioSessionPortDescription] = [], outputs: [AVAudioSessionPortDescription] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }
}
