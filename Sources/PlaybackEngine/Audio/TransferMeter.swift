import Synchronization

/// Counts the transfers from a remote medium. Only the thread that reads the medium changes the counts; any thread may read them.
public final class TransferMeter: Sendable, Hashable {
    /// The counts of all transfers so far.
    public struct Reading: Sendable, Hashable {
        public var requestCount = 0
        public var byteCount: Int64 = 0
        /// The time spent waiting for bytes from the server, in seconds.
        public var seconds = 0.0
        /// The address of the server, or of its proxy; nil before the first request.
        public var serverAddress: String?
        public var addressChangeCount = 0
        /// The slowest transfer of at least 64 KiB, in bits per second; nil before the first measurement.
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

    public var reading: Reading { state.withLock { $0.reading } }

    /// Counts a request over a new connection to the server or a proxy.
    public func countRequest(to address: String) {
        state.withLock { state in
            state.reading.requestCount += 1
            if let last = state.reading.serverAddress, last != address { state.reading.addressChangeCount += 1 }
            state.reading.serverAddress = address
        }
    }

    /// Counts a request over the same connection.
    public func countRequest() { state.withLock { $0.reading.requestCount += 1 } }

    /// Counts bytes, and the seconds of waiting for them.
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

    public static func == (a: TransferMeter, b: TransferMeter) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
