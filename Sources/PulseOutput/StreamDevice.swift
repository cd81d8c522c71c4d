/// The device on which a PulseAudio stream plays.
///
/// All calls of `StreamDevice` need the lock of libpulse's mainloop.
final class StreamDevice {
    private let devices: PulseDevices
    /// The facts about the stream's device that the last look-up found.
    private(set) var found = PulseDevice(name: "", description: "")
    /// The name of the device on which the stream plays now; known before the device has been looked up.
    private(set) var name = ""
    /// Whether another party suspended the device while the stream ran, and an event has reported the suspension.
    private(set) var wasSuspended = false
    /// The callback for a move of the stream to another device.
    private var onMove: ((PulseDevice) -> Void)?

    init(_ devices: PulseDevices) { self.devices = devices }

    /// Sets the callback that receives each device to which the stream is moved; nil removes the callback.
    func observe(_ onMove: ((PulseDevice) -> Void)?) { self.onMove = onMove }

    /// Looks up the device called `name`, on which the stream plays now. The function `then` is not called if the connection to the server ends
    /// before the look-up of the device.
    func lookUp(_ name: String, then: @escaping () -> Void) {
        devices.lookUp(name) { [unowned self] device in
            found = device ?? PulseDevice(name: name, description: name)
            then()
        }
    }

    /// Records the name of the device after the stream was connected and the device was looked up.
    func connected() { name = found.name }

    /// Looks up the device called `new`, to which the PulseAudio stream was moved. The function `then` receives whether the stream's former device
    /// was removed.
    func move(to new: String, then: @escaping (_ wasRemoved: Bool) -> Void) {
        // The stored name of the device is used, because after two moves of the stream in a row the device of the first move may not have been looked
        // up yet.
        let former = name
        name = new
        lookUp(new) { [unowned self] in
            onMove?(found)
            // The stream changed its device: either a user moved the stream, or the former device was removed. If the stream's former device was
            // removed, the server does not know it any more.
            devices.lookUp(former) { then($0 == nil) }
        }
    }

    /// Records that an event has reported the suspension of the device by another party, or its resumption.
    func reported(isSuspended: Bool) { wasSuspended = isSuspended }
}
