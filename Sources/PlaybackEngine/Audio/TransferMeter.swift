import Synchronization

/// Counts the transfers from a remote medium: requests, bytes, and seconds of waiting. Only the thread that reads the medium changes the counts; any
/// thread may read them.
public final class TransferMeter: Sendable, Hashable {
    /// The counts of all transfers from a remote medium so far.
    public struct Reading: Sendable, Hashable {
        public var requestCount = 0
        public var byteCount: Int64 = 0
        /// The total time of waiting for bytes from the server, in seconds.
        public var seconds = 0.0
        /// The network address of the server, or of its proxy, that the last request was sent to; nil before the first request.
        public var serverAddress: String?
        /// The number of times that the server's address has changed.
        public var addressChangeCount = 0
        /// The lowest and the highest bit rate of the transfer, in bits per second, each measured over at least 64 KiB of received data; nil before
        /// the first measurement.
        public var slowest: Double?
        public var fastest: Double?
        public init() {}
    }
    private struct State {
        var reading = Reading()
        var stretch = (bytes: Int64(0), seconds: 0.0)
    }
    private static let stretchBytes: Int64 = 64 << 10
    private let state = Mutex(State())

    public init() {}

    /// The counts of all transfers from the remote medium so far.
    public var reading: Reading { state.withLock { $0.reading } }

    /// Counts one request over a new connection to the network address `address`, which is the server's or a proxy's.
    public func countRequest(to address: String) {
        state.withLock { state in
            state.reading.requestCount += 1
            if let last = state.reading.serverAddress, last != address { state.reading.addressChangeCount += 1 }
            state.reading.serverAddress = address
        }
    }

    /// Counts one request over the same connection as the preceding request.
    public func countRequest() { state.withLock { $0.reading.requestCount += 1 } }

    /// Counts received bytes, and the seconds of waiting for them.
    public func count(bytes: Int, seconds: Double) {
        state.withLock { state in
            state.reading.byteCount += Int64(bytes)
            state.reading.seconds += max(0, seconds)
            state.stretch.bytes += Int64(bytes)
            state.stretch.seconds += max(0, seconds)
            guard state.stretch.bytes >= Self.stretchBytes, state.stretch.seconds > 0 else { return }
            let rate = Double(state.stretch.bytes) * 8 / state.stretch.seconds
            state.reading.slowest = min(state.reading.slowest ?? rate, rate)
            state.reading.fastest = max(state.reading.fastest ?? rate, rate)
            state.stretch = (0, 0)
        }
    }

    /// Whether two transfer meters are the same object.
    public static func == (a: TransferMeter, b: TransferMeter) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
