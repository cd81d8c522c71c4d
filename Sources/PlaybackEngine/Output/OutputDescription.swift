/// The description of an output: its kind, its id, its name and the attachment of its device.
public struct OutputDescription: Sendable, Hashable {
    /// The kind of the output: `pulse`, `null` or `file`.
    public var kind: String
    /// The device's stable name (the name of PulseAudio's sink, or the path of a file); empty if the device has none.
    public var id: String
    /// The name of the output that is shown to users.
    public var name: String
    /// How the device is attached (type of port, such as HDMI; driver module; bus, such as `usb`); nil if the output has no sound server.
    public var connector: OutputConnector?
    /// Makes the description of an output.
    ///
    /// - Parameters:
    ///   - kind: `pulse`, `null` or `file`.
    ///   - id: the device's stable name, empty if the device has none.
    ///   - name: the text that users see for the output.
    ///   - connector: how the device is attached (port type, driver module, bus); nil if the output has no sound server.
    public init(kind: String, id: String, name: String, connector: OutputConnector? = nil) {
        self.kind = kind; self.id = id; self.name = name; self.connector = connector
    }
}
