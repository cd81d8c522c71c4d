import PlaybackEngine

extension AVAudioSession {
    /// The type of a port: headphones, HDMI, USB, … (R-ROUTE-05). Other values are possible.
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

        /// Derives the port from the properties of a PulseAudio sink (R-LNX-07, R-LNX-38).
        /// - Parameters:
        ///   - portType: The type of the sink's active port, as `pactl` prints it; nil if the sink has no port.
        ///   - driver: The PulseAudio module that created the sink.
        ///   - bus: The sink's property `device.bus`.
        ///   - profile: The profile of a Bluetooth device: a headset that plays music has the type of a headset, and the profile A2DP.
        ///   - name: The name of the sink. With PipeWire, the driver is PipeWire, and only the name says that a receiver is one of AirPlay.
        public init(pulsePortType portType: String?, driver: String, bus: String?, profile: String? = nil, name: String = "") {
            if driver.contains("raop") || name.hasPrefix("raop_") {
                self = .airPlay
                return
            }
            if let profile {
                self = profile.hasPrefix("headset") || profile.hasPrefix("handsfree") ? .bluetoothHFP : .bluetoothA2DP
                return
            }
            switch (portType?.lowercased(), bus) {
            case ("headset"?, "bluetooth"?), ("handsfree"?, _): self = .bluetoothHFP
            case ("headphones"?, "bluetooth"?): self = .bluetoothA2DP
            case ("headphones"?, _): self = .headphones
            case ("headset"?, _): self = .headphones
            case ("hdmi"?, _): self = .HDMI
            case (_, "bluetooth"?), ("bluetooth"?, _): self = .bluetoothA2DP
            case (_, "usb"?), ("usb"?, _): self = .usbAudio
            case ("line"?, _), ("spdif"?, _), ("aux"?, _): self = .lineOut
            case ("speaker"?, _), ("analog"?, _): self = .builtInSpeaker
            default: self = driver.contains("null") || driver.contains("pipe") ? .virtual : .lineOut
            }
        }

        /// Whether the listener wears the device: after its removal, playback must not continue on loudspeakers (R-LNX-27).
        public var isWorn: Bool { [.headphones, .bluetoothA2DP, .bluetoothHFP].contains(self) }
    }
}

/// A channel of a port, for example the left one of headphones.
public struct AVAudioSessionChannelDescription: Sendable, Hashable {
    public var channelName: String
    public var owningPortUID: String
    /// The number of the channel in its port, from 1 on.
    public var channelNumber: Int
    public init(channelName: String, owningPortUID: String, channelNumber: Int) {
        self.channelName = channelName
        self.owningPortUID = owningPortUID
        self.channelNumber = channelNumber
    }
}

/// A port: headphones, a line output, a microphone, … (R-ROUTE-05).
public struct AVAudioSessionPortDescription: Sendable, Hashable {
    public var portType: AVAudioSession.Port
    /// A name for users.
    public var portName: String
    /// A permanent identifier.
    public var uid: String
    public var channels: [AVAudioSessionChannelDescription]?
    public init(portType: AVAudioSession.Port, portName: String, uid: String, channels: [AVAudioSessionChannelDescription]? = nil) {
        self.portType = portType
        self.portName = portName
        self.uid = uid
        self.channels = channels
    }
}

/// The ports in use (R-ROUTE-05).
public struct AVAudioSessionRouteDescription: Sendable, Hashable {
    public var inputs: [AVAudioSessionPortDescription]
    public var outputs: [AVAudioSessionPortDescription]
    public init(inputs: [AVAudioSessionPortDescription] = [], outputs: [AVAudioSessionPortDescription] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }
}

/// The reports of the players about their outputs.
extension AVAudioSession {
    /// Handles a player's report that its output has changed (R-LNX-27…31).
    @Turn func outputChanged(to output: OutputDescription, isAudible: Bool, by cause: OutputChangeCause) {
        setHardwareRate(Double(output.device?.sampleRate ?? 0))
        // An inaudible output is a route only if the user chose it.
        let new = isAudible || cause == .chosen ? AVAudioSessionRouteDescription(output) : AVAudioSessionRouteDescription()
        guard new != route else { return }
        switch cause {
        case .opened: setRoute(new)
        case .chosen: handle(.routeChanged(.override, new))
        // Also if the server then has no device: what appears next may be a loudspeaker.
        case .removed where route.outputs.contains { $0.portType.isWorn }: handle(.routeChanged(.oldDeviceUnavailable, new))
        case _ where !isAudible: handle(.routeChanged(.noSuitableRouteForCategory, new))
        case .found: handle(.routeChanged(.newDeviceAvailable, new))
        case .moved: handle(.routeChanged(.override, new))
        case .removed: handle(.routeChanged(.oldDeviceUnavailable, new))
        // The state of the device is unknown, and playback continues on another output, so the reason is not `oldDeviceUnavailable`.
        case .lost: handle(.routeChanged(.unknown, new))
        }
    }
}

extension AVAudioSessionRouteDescription {
    /// Makes a route with one output port.
    init(_ output: OutputDescription) {
        let port =
            output.connector.map {
                AVAudioSession.Port(pulsePortType: $0.portType, driver: $0.driver, bus: $0.bus, profile: $0.profile, name: output.id)
            } ?? AVAudioSession.Port.virtual
        self.init(outputs: [AVAudioSessionPortDescription(portType: port, portName: output.name, uid: output.id)])
    }
}
