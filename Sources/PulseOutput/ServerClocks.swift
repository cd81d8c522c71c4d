import Synchronization

/// The rates at which PipeWire mixes the audio of its devices.
///
/// PipeWire has one clock for all devices that play together. The clock has the default rate (`default.clock.rate`), or the rate of the stream if the
/// configuration permits this rate (`default.clock.allowed-rates`). The server states the default rate and the rate of each device, but not the rate
/// of the clock. A device whose rate is not the default rate either has a fixed rate, to which PipeWire converts, or follows the clock. If a device
/// has changed its rate, it follows the clock.
final class ServerClocks: Sendable {
    /// The maximum number of devices whose rates are stored, because a server may make new devices all the time.
    static let maximumDeviceCount = 256

    private struct State {
        var defaultRate = 0
        /// The sample rate recorded last for each device, in frames per second, by the device's stable name.
        var rates: [String: Int] = [:]
        /// The devices that have changed their rates.
        var following: Set<String> = []
    }

    private let state = Mutex(State())

    /// Records the rate of a device, in frames per second, and returns the rate of the clock while the device plays.
    ///
    /// - Parameters:
    ///   - device: The stable name of the device.
    ///   - defaultRate: The default rate of the server's clock. If it changes, the server has another configuration, and all recorded rates are
    ///     discarded.
    func rate(of device: String, at rate: Int, defaultRate: Int) -> Int {
        state.withLock { state in
            if state.defaultRate != defaultRate || state.rates.count >= Self.maximumDeviceCount { state = State(defaultRate: defaultRate) }
            if let former = state.rates.updateValue(rate, forKey: device), former != rate { state.following.insert(device) }
            return state.following.contains(device) ? rate : defaultRate
        }
    }
}
