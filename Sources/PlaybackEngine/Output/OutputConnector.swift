/// The attachment of a device, in PulseAudio's terms: its active port, its module and its bus (R-LNX-07).
public struct OutputConnector: Sendable, Hashable {
    /// The type of the device's active port, as `pactl` prints it; nil if it has none.
    public var portType: String?
    /// The module that created the device.
    public var driver: String
    /// The bus: `pci`, `usb` or `bluetooth`; nil if it is not known.
    public var bus: String?
    /// Makes the description of a connector.
    ///
    /// - Parameters:
    ///   - portType: the type of the device's active port.
    ///   - driver: the module that created the device.
    ///   - bus: the bus that the device is attached to.
    public init(portType: String?, driver: String, bus: String?) { self.portType = portType; self.driver = driver; self.bus = bus }
}
