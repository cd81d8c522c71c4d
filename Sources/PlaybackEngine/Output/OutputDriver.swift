/// A kind of output, such as PulseAudio: lists its devices, and makes providers that open them. Each adapter defines one driver.
public struct OutputDriver: Sendable, Identifiable {
    /// A device that a driver lists.
    public struct Device: Sendable, Hashable, Identifiable {
        /// The `OutputDescription.id` of the device.
        public let id: String
        /// The name for users.
        public let name: String
        /// The volume of the device; nil if it has none.
        public let volume: DeviceVolume?

        public init(id: String, name: String, volume: DeviceVolume? = nil) {
            self.id = id
            self.name = name
            self.volume = volume
        }
    }

    /// Sets the volume and mute of a device; nil leaves a value unchanged. Returns false if the device does not exist, or the server does not answer.
    /// May block for seconds.
    public typealias SetVolume = @Sendable (_ device: String, _ volume: Double?, _ isMuted: Bool?) -> Bool

    /// Watches the devices: `report` is called soon, and after each change, on any thread, until the returned object is released. Neither the call nor
    /// the release blocks, because players make both under their lock.
    public typealias Watch = @Sendable (_ report: @escaping @Sendable (OutputPresence) -> Void) -> any Sendable

    /// The name in requests and on the command line: `OutputDescription.kind`.
    public let id: String
    /// The name of the default device, for users.
    public let name: String
    /// Lists the devices; nil if the output needs none. May be called on any thread, and block for seconds.
    public let devices: (@Sendable () -> [Device])?
    /// Sets the volume of a device; nil if the devices have none. May be called on any thread.
    public let setVolume: SetVolume?
    /// Whether the driver may be opened without being chosen (`OutputWish.automatic`).
    public let isAutomatic: Bool
    /// Nil if the output is always there, and nobody listens to it: silence or a file.
    public let watch: Watch?
    /// Makes the provider of a device, without blocking; `device` is nil for the default device.
    public let provider: @Sendable (_ device: String?) -> any OutputProvider

    public init(
        id: String, name: String, isAutomatic: Bool = false, devices: (@Sendable () -> [Device])? = nil, setVolume: SetVolume? = nil,
        watch: Watch? = nil, provider: @escaping @Sendable (_ device: String?) -> any OutputProvider
    ) {
        self.id = id
        self.name = name
        self.devices = devices
        self.setVolume = setVolume
        self.isAutomatic = isAutomatic
        self.watch = watch
        self.provider = provider
    }
}

extension OutputDriver {
    /// What the policy needs to know.
    public var traits: OutputPolicy.Driver { OutputPolicy.Driver(id: id, isAutomatic: isAutomatic, comesAndGoes: watch != nil) }

    /// An output that plays nothing but keeps time, and can always be opened.
    public static let null = OutputDriver(id: "null", name: "Silence", provider: { _ in NullOutputProvider() })

    /// An output that writes WAV of 16 bits.
    public static func file(path: String, dither: Dither = .tpdf) -> OutputDriver {
        OutputDriver(id: "file", name: "File", provider: { _ in FileOutputProvider(path: path, dither: dither) })
    }
}

/// The volume of an output device, which belongs to the sound server and is shared by all programs.
public struct DeviceVolume: Sendable, Hashable {
    /// The greatest volume that clients may set.
    public static let maximum = 1.5

    /// The volume on the sound server's scale: 0 is silence, and 1 the level without amplification by the server.
    public var volume: Double
    public var isMuted: Bool
    public init(volume: Double, isMuted: Bool) { (self.volume, self.isMuted) = (volume, isMuted) }
}
