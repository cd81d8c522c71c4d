import Platform
import PlaybackEngine
import Synchronization

/// The transfer of excerpts beside that of the audio, on a thread and a connection of its own, so that a slow or faulty answer does not delay the
/// audio. The first fault ends it.
///
/// The excerpts are transferred only if enough audio is present, and while the audio is being transferred, they get at most a third of the bytes.
final class ExcerptTransfer: Sendable {
    private struct State {
        /// The excerpts that have not arrived, in the order of their transfer.
        var ranges: [Range<Int64>] = []
        var receiver: Excerpt.Receiver?
        /// The number of calls of `request`.
        var requestNumber = 0
        /// The length of the medium, in bytes; nil before the audio has been opened.
        var length: Int64?
        /// Whether enough audio is present.
        var hasReserve = false
        /// Whether the transfer of the audio pauses.
        var isIdle = false
        /// The number of bytes of excerpts that may be transferred before more audio has arrived.
        var budget: Int64 = 0
        var isOver = false
    }
    private let state = Mutex(State())
    private let monitor: ConnectionMonitor
    /// Raised to end the transfer.
    private let interrupt = Interrupt()
    private let work = WakeSignal()

    /// The number of bytes of audio that must be present after the reader before excerpts are transferred, unless the transfer of the audio pauses.
    private static let reserve: Int64 = 128 << 10
    /// The number of bytes of audio for each byte of an excerpt.
    private static let audioShare: Int64 = 2
    /// The largest budget, in bytes.
    private static let largestBudget = 4 * Excerpt.largest

    init(monitor: ConnectionMonitor) { self.monitor = monitor }

    // MARK: The reader's thread

    /// Requests excerpts, in place of those that have not arrived. Each has at most `Excerpt.largest` bytes; longer ranges are cut at their end.
    func request(_ ranges: [Range<Int64>], receiver: @escaping Excerpt.Receiver) {
        state.withLock { state in
            (state.ranges, state.receiver) = (ranges, receiver)
            state.requestNumber += 1
        }
        work.raise()
    }

    /// Ends the transfer. The thread ends soon.
    func stop() {
        state.withLock { $0.isOver = true }
        interrupt.raise()
        work.raise()
    }

    // MARK: The thread of the audio's transfer

    /// Records the state of the audio's transfer.
    ///
    /// - Parameters:
    ///   - ahead: The number of bytes that are present after the reader.
    ///   - received: The number of bytes that were received since the last call.
    ///   - isIdle: Whether nothing more is received at present.
    func noteAudio(length: Int64?, ahead: Int64, received: Int, isIdle: Bool) {
        let mayContinue = state.withLock { state in
            state.length = length
            state.hasReserve = isIdle || ahead >= ExcerptTransfer.reserve
            state.isIdle = isIdle
            state.budget = min(ExcerptTransfer.largestBudget, state.budget + Int64(received) / ExcerptTransfer.audioShare)
            return !state.ranges.isEmpty && state.hasReserve
        }
        if mayContinue { work.raise() }
    }

    // MARK: The thread of the excerpts

    /// Transfers excerpts until `stop` is called, or until a fault.
    ///
    /// - Parameters:
    ///   - open: The function that makes the client; its interrupt is raised by `stop`.
    ///   - present: The function that returns the bytes of a range if all of them are present, otherwise nil.
    func run(
        _ open: (Interrupt) throws(PlaybackError) -> ExcerptClient, present: (Range<Int64>) -> [UInt8]?
    ) {
        var client: ExcerptClient?
        while let wanted = next() {
            guard let (range, length) = wanted else {
                // After the last round, the connection is not needed.
                if state.withLock({ $0.ranges.isEmpty }) { client = nil }
                work.wait()
                continue
            }
            do throws(PlaybackError) {
                var bytes = present(range)
                if bytes == nil {
                    if client == nil { client = try open(interrupt) }
                    bytes = try client?.bytes(range, of: length)
                    state.withLock { $0.budget = max(0, $0.budget - Int64(range.count)) }
                }
                deliver(Excerpt(offset: range.lowerBound, bytes: bytes ?? []))
            } catch {
                // Playback does not depend on excerpts.
                state.withLock { $0.isOver = true }
            }
        }
    }

    /// Returns the range of the next excerpt, and the length of the medium; an inner nil if there is nothing to do now, nil if the transfer is over.
    func next() -> (range: Range<Int64>, length: Int64)?? {
        state.withLock { state in
            if state.isOver { return nil }
            guard let range = state.ranges.first, let length = state.length, state.hasReserve, monitor.isCurrent else { return .some(nil) }
            let part = range.lowerBound..<min(range.upperBound, range.lowerBound + Excerpt.largest)
            guard state.isIdle || state.budget >= Int64(part.count) else { return .some(nil) }
            return (part, length)
        }
    }

    private func deliver(_ excerpt: Excerpt) {
        let (receiver, number) = state.withLock { state in
            state.ranges.removeAll { $0.lowerBound == excerpt.offset }
            return (state.receiver, state.requestNumber)
        }
        guard let ranges = receiver?(excerpt) else { return }
        // A request that arrived while the receiver examined the excerpt is newer, and has priority.
        state.withLock { if $0.requestNumber == number { $0.ranges = ranges } }
    }
}
