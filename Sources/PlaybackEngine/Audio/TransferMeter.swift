import Synchronization

/// Counts what a remote medium costs: requests, bytes, seconds of waiting for them. The thread that reads counts, any thread looks.
public final class TransferMeter: Sendable, Hashable {
    /// What has been counted so far.
    public struct Reading: Sendable, Hashable {
        public var requestCount = 0
        public var byteCount: Int64 = 0
        /// Seconds spent waiting for those bytes.
        public var seconds = 0.0
        /// The address of the server that was asked last, nil before the first request.
        public var serverAddress: String?
        /// How often that became another.
        public var addressChangeCount = 0
        /// The rates, in bits a second, of the stretches of at least 64 KiB that were received: the lowest and the highest, nil before the first.
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

    /// What has been counted so far.
    public var reading: Reading { state.withLock { $0.reading } }

    /// A request is sent to a server at this address.
    public func countRequest(to address: String) {
        state.withLock { state in
            state.reading.requestCount += 1
            if let last = state.reading.serverAddress, last != address { state.reading.addressChangeCount += 1 }
            state.reading.serverAddress = address
        }
    }

    /// So many bytes came after so many seconds of waiting.
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

    /// Meters are equal when they are the same object.
    public static func == (a: TransferMeter, b: TransferMeter) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
