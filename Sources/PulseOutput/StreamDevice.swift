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

    /// The volume that the owner of the stream knows.
    private var knownVolume: Float = 1
    /// Whether the volume is being looked up, and whether the device has changed since that began.
    private var volumeLookUp: (isPending: Bool, isStale: Bool) = (false, false)

    private let clocks: ServerClocks
    /// The default rate of PipeWire's clock, in frames per second; nil with PulseAudio, where each device has its own clock.
    private var defaultRate: Int?

    init(_ devices: PulseDevices, clocks: ServerClocks) { (self.devices, self.clocks) = (devices, clocks) }

    /// Sets the default rate of PipeWire's clock, in frames per second; nil if each device has its own clock. Called before the first look-up.
    func setDefaultRate(_ rate: Int?) { defaultRate = rate }

    /// Sets the function that gets the facts about the device after each move and change.
    func observe(_ onMove: ((PulseDevice) -> Void)?) { self.onMove = onMove }

    /// Looks up a device, stores the facts, and calls `then`, which is not called if the connection ends before.
    func lookUp(_ name: String, then: @escaping () -> Void) {
        devices.lookUp(name) { [unowned self] device in
            found = device ?? PulseDevice(name: name, description: name)
            if let defaultRate, let rate = found.sampleRate { found.format?.clockRate = clocks.rate(of: name, at: rate, defaultRate: defaultRate) }
            then()
        }
    }

    /// Looks up a device again, passes the facts to the observer, and calls `then`.
    func lookUpAgain(_ name: String, then: @escaping () -> Void) {
        lookUp(name) { [unowned self] in
            onMove?(found)
            then()
        }
    }

    /// Looks up the volume of the device. If it has changed, stores it, passes the facts to the observer, and calls `then`. One look-up serves all
    /// changes that come before its reply: with flat volumes, each step of a ramp is one.
    func lookUpVolume(then: @escaping () -> Void) {
        guard !volumeLookUp.isPending else {
            volumeLookUp.isStale = true
            return
        }
        volumeLookUp = (true, false)
        let looked = name
        devices.lookUp(looked) { [unowned self] device in
            let isStale = volumeLookUp.isStale
            volumeLookUp = (false, false)
            if let device, looked == name, device.volume != knownVolume {
                (found.volume, knownVolume) = (device.volume, device.volume)
                onMove?(found)
                then()
            }
            if isStale { lookUpVolume(then: then) }
        }
    }

    /// `then` is called after the reply, also if the server has no such device.
    func move(stream: UInt32, to name: String, then: @escaping () -> Void) { devices.move(stream: stream, to: name, answer: then) }

    /// Called when the first device has been looked up.
    func connected() { (name, knownVolume) = (found.name, found.volume) }

    /// Handles a move of the stream to the device `new`. `wasRemoved`: the former device no longer exists.
    func move(to new: String, then: @escaping (_ wasRemoved: Bool) -> Void) {
        // Not `found.name`, because after two moves the first look-up may not have ended.
        let former = name
        name = new
        lookUp(new) { [unowned self] in
            knownVolume = found.volume
            onMove?(found)
            // Either a user has moved the stream, or the former device was removed and is now unknown to the server.
            devices.lookUp(former) { then($0 == nil) }
        }
    }

    /// Records that the sink sends the event of a suspension or of its end.
    func reported(isSuspended: Bool) { wasSuspended = isSuspended }
}

/// The rates at which PipeWire mixes.
///
/// PipeWire has one clock for all devices that play together, at the default rate (`default.clock.rate`), or that of a stream if permitted
/// (`default.clock.allowed-rates`). It states the default rate and those of devices, but not that of the clock. A device at another rate than the
/// default either has a fixed rate or follows the clock; a device that has changed its rate follows the clock.
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

    /// The rate of the clock while the device plays, in frames per second. If `defaultRate` has changed, the server has another configuration, and
    /// all known rates are discarded.
    func rate(of device: String, at rate: Int, defaultRate: Int) -> Int {
        state.withLock { state in
            if state.defaultRate != defaultRate || state.rates.count >= Self.maximumDeviceCount { state = State(defaultRate: defaultRate) }
            if let former = state.rates.updateValue(rate, forKey: device), former != rate { state.following.insert(device) }
            return state.following.contains(device) ? rate : defaultRate
        }
    }
}
