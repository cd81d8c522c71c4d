import Synchronization

/// The phase of a connection that libmicrohttpd serves, and the sweep at which this phase began. From both, `ConnectionTable.sweep` finds overdue
/// connections.
final class ConnectionWatch: Sendable {
    enum Phase: UInt64 {
        /// The connection is new, or a request has begun and the request's head or body is not complete.
        case receiving
        /// The handler is processing the connection's request, for which there is no time limit.
        case thinking
        /// The client is receiving the HTTP answer.
        case sending
        /// The client has received its HTTP answer. libmicrohttpd reports the next request only after the request's first line is complete.
        case pausing
    }

    let descriptor: Int32
    /// The connection's phase in the upper 32 bits, and in the lower 32 bits the number of the sweep at which the phase began.
    private let word: Atomic<UInt64>

    init(descriptor: Int32, moment: UInt32) {
        self.descriptor = descriptor
        word = Atomic(UInt64(moment))
    }

    func enter(_ phase: Phase, at moment: UInt32) { word.store(phase.rawValue << 32 | UInt64(moment), ordering: .relaxed) }

    var current: (phase: Phase, since: UInt32) {
        let value = word.load(ordering: .relaxed)
        return (Phase(rawValue: value >> 32) ?? .thinking, UInt32(truncatingIfNeeded: value))
    }
}
