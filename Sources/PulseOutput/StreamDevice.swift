import PlaybackEngine

/// The device on which a PulseAudio stream plays.
///
/// All calls of `StreamDevice` need the lock of libpulse's mainloop.
final class StreamDevice {
    private let devices: PulseDevices
    /// The facts about the PulseAudio stream's device, from the last look-up.
    private(set) var found = PulseDevice(name: "", description: "")
    /// The name of the device on which the stream plays now. After a move of the stream, the name is known before the look-up of the device has
    /// ended.
    private(set) var name = ""
    /// Whether the sink has sent the event that another program suspended the device, and has not yet sent the event that the suspension ended.
    private(set) var wasSuspended = false
    /// The callback for a move of the stream to another device, and for a change of the device.
    private var onMove: ((PulseDevice) -> Void)?

    private let clocks: ServerClocks
    /// The default rate of the server's clock, in frames per second; nil if each device has a clock of its own.
    private var defaultRate: Int?

    init(_ devices: PulseDevices, clocks: ServerClocks) { (self.devices, self.clocks) = (devices, clocks) }

    /// Sets the default rate of the server's clock, in frames per second; nil if each device has a clock of its own. Called before the first look-up.
    func setDefaultRate(_ rate: Int?) { defaultRate = rate }

    /// Sets the callback for moves of the stream, and for changes of its device. The callback receives the present facts about the device. Nil
    /// removes the callback.
    func observe(_ onMove: ((PulseDevice) -> Void)?) { self.onMove = onMove }

    /// Looks up the device called `name`, on which the stream plays now, and then calls `then`. If the connection to the server ends before the
    /// reply, `then` is not called.
    func lookUp(_ name: String, then: @escaping () -> Void) {
        devices.lookUp(name) { [unowned self] device in
            found = device ?? PulseDevice(name: name, description: name)
            if let defaultRate, let rate = found.sampleRate { found.format?.clockRate = clocks.rate(of: name, at: rate, defaultRate: defaultRate) }
            then()
        }
    }

    /// Looks up the facts about the stream's device, called `name`, again. Passes them to the observer (`onMove`), and then calls `then`.
    func lookUpAgain(_ name: String, then: @escaping () -> Void) {
        lookUp(name) { [unowned self] in
            onMove?(found)
            then()
        }
    }

    /// Asks the server to move the stream with the number `stream` to the device called `name`. Calls `then` after the reply, also if the stream was
    /// not moved because the server has no device of this name.
    func move(stream: UInt32, to name: String, then: @escaping () -> Void) { devices.move(stream: stream, to: name, answer: then) }

    /// Stores the name of the stream's first device. Called after the stream was connected and its device was looked up.
    func connected() { name = found.name }

    /// Looks up the device called `new`, to which the PulseAudio stream was moved. `then` receives whether the stream's former device was removed
    /// from the server.
    func move(to new: String, then: @escaping (_ wasRemoved: Bool) -> Void) {
        // The name of the former device is `self.name`, not the name in `found`: if the stream was moved twice in a row, the look-up of the first new
        // device may not have ended yet.
        let former = name
        name = new
        lookUp(new) { [unowned self] in
            onMove?(found)
            // The stream has another device either because a user moved the stream, or because the former device was removed. A removed device is
            // unknown to the server, so a look-up of its name distinguishes the two.
            devices.lookUp(former) { then($0 == nil) }
        }
    }

    /// Records which event about a suspension the sink sends: another program has suspended the device (true), or the suspension has ended (false).
    func reported(isSuspended: Bool) { wasSuspended = isSuspended }
}
