/// Where sound comes out of a device, in PulseAudio's words (R-LNX-07).
public struct OutputConnector: Sendable, Hashable {
    /// The type of the device's active port, as `pactl` prints it; nil where it has none.
    public var portType: String?
    /// The module that made the device.
    public var driver: String
    /// `pci`, `usb`, `bluetooth`; nil where that is not known.
    public var bus: String?
    /// A connector.
    ///
    /// - Parameters:
    ///   - portType: the type of the device's active port.
    ///   - driver: the module that made the device.
    ///   - bus: what the device is attached to.
    public init(portType: String?, driver: String, bus: String?) { self.portType = portType; self.driver = driver; self.bus = bus }
}
