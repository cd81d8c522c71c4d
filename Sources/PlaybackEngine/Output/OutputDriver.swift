/// A kind of output, for example PulseAudio: lists the devices of this kind, and makes the providers that open the devices. Each adapter of a sound
/// server defines a driver.
public struct OutputDriver: Sendable, Identifiable {
    /// An audio device that an output driver lists.
    public struct Device: Sendable, Hashable, Identifiable {
        /// The stable name of the device, equal to `OutputDescription.id`.
        public let id: String
        /// The name that users see for the device.
        public let name: String
        /// The volume of the device; nil if the device has none.
        public let volume: DeviceVolume?

        /// Makes the description of a device.
        ///
        /// - Parameters:
        ///   - id: the stable name of the device.
        ///   - name: the text that users see for the device.
        ///   - volume: the volume of the device; nil if the device has none.
        public init(id: String, name: String, volume: DeviceVolume? = nil) {
            self.id = id
            self.name = name
            self.volume = volume
        }
    }

    /// A function that changes the volume of the device with the id `device`; if `volume` or `isMuted` is nil, it stays unchanged. The function
    /// returns false if the device does not exist, or if the server does not answer. It may block for seconds.
    public typealias SetVolume = @Sendable (_ device: String, _ volume: Double?, _ isMuted: Bool?) -> Bool

    /// A function that connects to a driver's sound server and blocks for at most `timeout` seconds. The function returns nil if no server answers.
    /// If the connection is made, the function returns an object, and the connection lasts as long as the caller retains this object. The closure
    /// `onLoss` is called after the connection was lost.
    public typealias Connect = @Sendable (_ timeout: Double, _ onLoss: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// The driver's name in requests and on the command line, equal to `OutputDescription.kind`.
    public let id: String
    /// The name that users see for the driver's default device.
    public let name: String
    /// The function that lists the present devices; nil for a driver whose output needs no device. Any thread may list the devices; the function may
    /// block for seconds.
    public let devices: (@Sendable () -> [Device])?
    /// The function that changes the volume of a device; nil for a driver whose devices have no volume. Any thread may call it.
    public let setVolume: SetVolume?
    /// The function that connects to the sound server; nil for a driver without a server.
    public let connect: Connect?
    /// The function that returns the output provider for the device with the id `device`; if `device` is nil, the provider for the default device.
    public let provider: @Sendable (_ device: String?) -> any OutputProvider

    /// Makes an output driver.
    ///
    /// - Parameters:
    ///   - id: the driver's name in requests and on the command line.
    ///   - name: the text that users see for the default device.
    ///   - devices: the function that lists the devices.
    ///   - setVolume: the function that changes the volume of a device.
    ///   - connect: the function that connects to the sound server.
    ///   - provider: the function that returns the output provider of a device.
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
    /// The driver of the null output, which plays nothing but keeps time. The null output can always be opened.
    public static let null = OutputDriver(id: "null", name: "Silence", provider: { _ in NullOutputProvider() })

    /// Returns the driver of the output that writes a WAV file of 16 bits.
    public static func file(path: String, dither: Dither = .tpdf) -> OutputDriver {
        OutputDriver(id: "file", name: "File", provider: { _ in FileOutputProvider(path: path, dither: dither) })
    }
}
