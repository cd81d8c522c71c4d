/// How a device is attached to the machine, as PulseAudio describes it: its active port (for example HDMI or headphones), the module that drives it,
/// and its bus (R-LNX-07).
public struct OutputConnector: Sendable, Hashable {
    /// The type of the device's active port, as `pactl` prints it, for example `HDMI` or `Headphones`; nil if the device has no port.
    public var portType: String?
    /// The name of the sound server's module that created the device.
    public var driver: String
    /// The bus to which the device is connected: `pci`, `usb` or `bluetooth`; nil if the bus is not known.
    public var bus: String?
    /// Makes the description of a device's attachment.
    ///
    /// - Parameters:
    ///   - portType: the type of the device's active port, as `pactl` prints it; nil if the device has no port.
    ///   - driver: the name of the sound server's module that created the device.
    ///   - bus: `pci`, `usb` or `bluetooth`; nil if the bus is not known.
    public init(portType: String?, driver: String, bus: String?) { self.portType = portType; self.driver = driver; self.bus = bus }
}
