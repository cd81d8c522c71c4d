/// A kind of output, such as PulseAudio: lists its devices, and makes providers that open them. Each adapter of a sound server has one.
public struct OutputDriver: Sendable, Identifiable {
    /// A device that a driver lists.
    public struct Device: Sendable, Hashable, Identifiable {
        /// `OutputDescription.id`.
        public let id: String
        /// For users.
        public let name: String
        /// Nil if the device has none.
        public let volume: DeviceVolume?

        public init(id: String, name: String, volume: DeviceVolume? = nil) {
            self.id = id
            self.name = name
            self.volume = volume
        }
    }

    /// Nil leaves a value unchanged. False if the device does not exist, or the server does not answer. May block for seconds.
    public typealias SetVolume = @Sendable (_ device: String, _ volume: Double?, _ isMuted: Bool?) -> Bool

    /// Connects to the sound server, for at most `timeout` seconds; nil if none answers. The connection lasts as long as the returned object.
    public typealias Connect = @Sendable (_ timeout: Double, _ onLoss: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// In requests and on the command line: `OutputDescription.kind`.
    public let id: String
    /// The default device, for users.
    public let name: String
    /// Nil if the output needs no device. Any thread; may block for seconds.
    public let devices: (@Sendable () -> [Device])?
    /// Nil if the devices have no volume. Any thread.
    public let setVolume: SetVolume?
    /// Nil without a server.
    public let connect: Connect?
    /// Nil for the default device.
    public let provider: @Sendable (_ device: String?) -> any OutputProvider

    public init(
        id: String, name: String, devices: (@Sendable () -> [Device])? = nil, setVolume: SetVolume? = nil, connect: Connect? = nil,
        provider: @escaping @Sendable (_ device: String?) -> any OutputProvider
    ) {
        self.id = id
        self.name = name
        self.devices = devices
        self.setVolume = setVolume
        self.connect = connect
        self.provider = provider
    }
}

extension OutputDriver {
    /// Plays nothing but keeps time, and can always be opened.
    public static let null = OutputDriver(id: "null", name: "Silence", provider: { _ in NullOutputProvider() })

    /// WAV of 16 bits.
    public static func file(path: String, dither: Dither = .tpdf) -> OutputDriver {
        OutputDriver(id: "file", name: "File", provider: { _ in FileOutputProvider(path: path, dither: dither) })
    }
}

/// The volume of an output device, which belongs to the sound server and is shared by all programs.
public struct DeviceVolume: Sendable, Hashable {
    /// The greatest volume that clients may set.
    public static let maximum = 1.5

    /// On the sound server's scale: 0 is silence, and 1 the level without amplification by the server.
    public var volume: Double
    public var isMuted: Bool
    public init(volume: Double, isMuted: Bool) { (self.volume, self.isMuted) = (volume, isMuted) }
}
