/// The attachment of a device, in PulseAudio's terms: its active port, its module and its bus (R-LNX-07).
public struct OutputConnector: Sendable, Hashable {
    /// The type of the device's active port, as `pactl` prints the type; nil if the device has no port.
    public var portType: String?
    /// The module that created the device.
    public var driver: String
    /// The bus: `pci`, `usb` or `bluetooth`; nil if the bus is not known.
    public var bus: String?
    /// Makes the description of a device's attachment.
    ///
    /// - Parameters:
    ///   - portType: the type of the device's active port, as `pactl` prints it; nil if the device has no port.
    ///   - driver: the name of the sound server's module that created the device.
    ///   - bus: `pci`, `usb` or `bluetooth`; nil if the attachment is not known.
    public init(portType: String?, driver: String, bus: String?) { self.portType = portType; self.driver = driver; self.bus = bus }
}
