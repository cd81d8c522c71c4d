import Synchronization

/// The rates at which PipeWire mixes.
///
/// PipeWire has one clock for all devices that play together, at the default rate (`default.clock.rate`), or that of a stream if permitted
/// (`default.clock.allowed-rates`). It states the default rate and those of devices, but not that of the clock. A device at another rate either has a
/// fixed one or follows the clock; one that has changed its rate follows.
final class ServerClocks: Sendable {
    /// A server may make new devices all the time.
    static let maximumDeviceCount = 256

    private struct State {
        var defaultRate = 0
        /// Recorded last, in frames per second, by the stable name.
        var rates: [String: Int] = [:]
        /// They have changed their rates.
        var following: Set<String> = []
    }

    private let state = Mutex(State())

    /// Returns the rate of the clock while the device plays, in frames per second. Another `defaultRate` means another configuration, and discards
    /// everything.
    func rate(of device: String, at rate: Int, defaultRate: Int) -> Int {
        state.withLock { state in
            if state.defaultRate != defaultRate || state.rates.count >= Self.maximumDeviceCount { state = State(defaultRate: defaultRate) }
            if let former = state.rates.updateValue(rate, forKey: device), former != rate { state.following.insert(device) }
            return state.following.contains(device) ? rate : defaultRate
        }
    }
}
