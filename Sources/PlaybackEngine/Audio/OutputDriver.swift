/// A kind of output: lists its devices, and makes the providers that play on them. An adapter of a sound server defines one.
public struct OutputDriver: Sendable, Identifiable {
    /// A device of a driver.
    public struct Device: Sendable, Hashable, Identifiable {
        /// The stable name, equal to `OutputDescription.id`.
        public let id: String
        /// The name for people.
        public let name: String

        /// Makes the description of a device.
        ///
        /// - Parameters:
        ///   - id: The stable name.
        ///   - name: The name for people.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// A function that connects to the server of a driver. Blocks for at most `timeout` seconds. Returns nil if no server answers, otherwise an
    /// object: the connection lasts as long as that object is retained. `onLoss` is called when the connection is lost.
    public typealias Connect = @Sendable (_ timeout: Double, _ onLoss: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// The name in requests and on the command line, equal to `OutputDescription.kind`.
    public let id: String
    /// The name of the driver's default device, for people.
    public let name: String
    /// The function that lists the present devices; nil for a driver that has no devices and opens without any. Any thread may call it. It may block
    /// for seconds.
    public let devices: (@Sendable () -> [Device])?
    /// The function that connects to the server; nil for a driver without a server.
    public let connect: Connect?
    /// The function that returns the provider of a device by its id; for nil, that of the default device.
    public let provider: @Sendable (_ device: String?) -> any OutputProvider

    /// Makes a driver.
    ///
    /// - Parameters:
    ///   - id: The name in requests and on the command line.
    ///   - name: The name of the default device for people.
    ///   - devices: Lists the devices.
    ///   - connect: Connects to the server.
    ///   - provider: Returns the provider of a device.
    public init(
        id: String, name: String, devices: (@Sendable () -> [Device])? = nil, connect: Connect? = nil,
        provider: @escaping @Sendable (_ device: String?) -> any OutputProvider
    ) {
        self.id = id
        self.name = name
        self.devices = devices
        self.connect = connect
        self.provider = provider
    }
}

extension OutputDriver {
    /// The null output, which plays nothing but keeps time. It always opens.
    public static let null = OutputDriver(id: "null", name: "Silence", provider: { _ in NullOutputProvider() })

    /// The output into a WAV file.
    public static func file(path: String) -> OutputDriver {
        OutputDriver(id: "file", name: "File", provider: { _ in FileOutputProvider(path: path) })
    }
}
