/// The device that a stream plays on.
///
/// All calls need the mainloop's lock.
final class StreamDevice {
    private let devices: PulseDevices
    /// The device as it was found last.
    private(set) var found = PulseDevice(name: "", description: "")
    /// The name of the present device, known before the device has been looked up.
    private(set) var name = ""
    /// Whether another party suspended the device while the stream ran, and that was reported.
    private(set) var wasSuspended = false
    private var onMove: ((PulseDevice) -> Void)?

    init(_ devices: PulseDevices) { self.devices = devices }

    /// Calls `onMove` with each device to which the stream is moved; nil ends that.
    func observe(_ onMove: ((PulseDevice) -> Void)?) { self.onMove = onMove }

    /// Looks up the device with a name, which the stream plays on now. `then` is not called if the connection ends first.
    func lookUp(_ name: String, then: @escaping () -> Void) {
        devices.lookUp(name) { [unowned self] device in
            found = device ?? PulseDevice(name: name, description: name)
            then()
        }
    }

    /// Records the device of a stream that is connected and has been looked up.
    func connected() { name = found.name }

    /// Looks up the device to which the stream was moved. `then` gets whether the former device was removed.
    func move(to new: String, then: @escaping (_ wasRemoved: Bool) -> Void) {
        // The stored name is used, because after two moves in a row the device of the first may not have been looked up yet.
        let former = name
        name = new
        lookUp(new) { [unowned self] in
            onMove?(found)
            // Either the stream was moved by a user, or its device was removed. If it was removed, the server does not know it any more.
            devices.lookUp(former) { then($0 == nil) }
        }
    }

    /// Records that another party suspended the device, or that it was resumed.
    func reported(isSuspended: Bool) { wasSuspended = isSuspended }
}
