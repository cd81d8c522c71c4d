import Synchronization

/// A connection's phase, and the sweep at which it began.
final class ConnectionWatch: Sendable {
    enum Phase: UInt64 {
        /// New, or its request is not complete.
        case receiving
        /// The handler's work, without a time limit.
        case thinking
        case sending
        /// libmicrohttpd reports the next request only after its first line.
        case pausing
    }

    let descriptor: Int32
    /// Phase and sweep, 32 bits each.
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
