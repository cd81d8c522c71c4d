import PlaybackEngine
import Synchronization

/// The device on which a stream plays. Needs the lock.
final class StreamDevice {
    private let devices: PulseDevices
    private(set) var found = PulseDevice(name: "", description: "")
    /// The name of the device; after a move, it is known before the look-up.
    private(set) var name = ""
    /// Whether the sink has sent the event of a suspension, and not that of its end.
    private(set) var wasSuspended = false
    /// Called after the stream was moved, or the device has changed.
    private var onMove: ((PulseDevice) -> Void)?

    private let clocks: ServerClocks
    /// In frames per second; nil if each device has its own clock.
    private var defaultRate: Int?

    init(_ devices: PulseDevices, clocks: ServerClocks) { (self.devices, self.clocks) = (devices, clocks) }

    /// In frames per second; nil if each device has its own clock. Called before the first look-up.
    func setDefaultRate(_ rate: Int?) { defaultRate = rate }

    /// `onMove` gets the facts after each move and change.
    func observe(_ onMove: ((PulseDevice) -> Void)?) { self.onMove = onMove }

    /// `then` is not called if the connection ends before.
    func lookUp(_ name: String, then: @escaping () -> Void) {
        devices.lookUp(name) { [unowned self] device in
            found = device ?? PulseDevice(name: name, description: name)
            if let defaultRate, let rate = found.sampleRate { found.format?.clockRate = clocks.rate(of: name, at: rate, defaultRate: defaultRate) }
            then()
        }
    }

    /// Passes the facts to the observer, then calls `then`.
    func lookUpAgain(_ name: String, then: @escaping () -> Void) {
        lookUp(name) { [unowned self] in
            onMove?(found)
            then()
        }
    }

    /// `then` is called after the reply, also if the server has no such device.
    func move(stream: UInt32, to name: String, then: @escaping () -> Void) { devices.move(stream: stream, to: name, answer: then) }

    /// The first device was looked up.
    func connected() { name = found.name }

    /// `wasRemoved`: the former device no longer exists.
    func move(to new: String, then: @escaping (_ wasRemoved: Bool) -> Void) {
        // Not `found.name`, because after two moves the first look-up may not have ended.
        let former = name
        name = new
        lookUp(new) { [unowned self] in
            onMove?(found)
            // A user moved the stream, or the device was removed and is then unknown to the server.
            devices.lookUp(former) { then($0 == nil) }
        }
    }

    /// Records the event that the sink sends.
    func reported(isSuspended: Bool) { wasSuspended = isSuspended }
}

/// The rates at which PipeWire mixes.
///
/// PipeWire has one clock for all devices that play together, at the default rate (`default.clock.rate`), or that of a stream if permitted
/// (`default.clock.allowed-rates`). It states the default rate and those of devices, but not that of the clock. A device at another rate either has a
/// fixed one or follows the clock; one that has changed its rate follows.
final class ServerClocks: Sendable {
    /// The limit of known devices, because a server may make new ones all the time.
    static let maximumDeviceCount = 256

    private struct State {
        var defaultRate = 0
        /// The last rate of each device, in frames per second, by its stable name.
        var rates: [String: Int] = [:]
        /// The devices that have changed their rates.
        var following: Set<String> = []
    }

    private let state = Mutex(State())

    /// The rate of the clock while the device plays, in frames per second. Another `defaultRate` means another configuration: all is discarded.
    func rate(of device: String, at rate: Int, defaultRate: Int) -> Int {
        state.withLock { state in
            if state.defaultRate != defaultRate || state.rates.count >= Self.maximumDeviceCount { state = State(defaultRate: defaultRate) }
            if let former = state.rates.updateValue(rate, forKey: device), former != rate { state.following.insert(device) }
            return state.following.contains(device) ? rate : defaultRate
        }
    }
}
