import Platform
import PlaybackEngine
import Synchronization

/// The transfer of a medium ahead of its reader: the kept bytes, and the thread that receives them.
final class Transfer: Sendable {
    struct Opened: Sendable {
        var isSeekable: Bool
        var isLive: Bool
    }
    private struct State {
        var opening: Result<Opened, PlaybackError>?
        var isStopped = false
        var store = PageStore()
        var length: Int64?
        /// The offset of the medium's last byte plus one, after the transfer has reached it.
        var end: Int64?
        /// The offset of the byte that the reader needs next.
        var reader: Int64 = 0
        /// The only bytes that the reader needs at present; nil if it needs all bytes up to the end of the medium.
        var needed: Range<Int64>?
        /// Whether the medium is being opened.
        var isOpening = false
        var readThroughLimit = RequestSizes.smallestGap
        /// The offset of the byte that is received next.
        var position: Int64 = 0
        /// The error of the transfer, and the offset of the byte at which the reader receives this error.
        var failure: (offset: Int64, error: PlaybackError)?
        var isIdle = false
        var isFull = false
    }
    private let state: Mutex<State>
    private let capacity: Int64
    /// The maximum number of kept pages.
    private var pageLimit: Int { Int(capacity / PageStore.pageSize) }
    private let monitor: ConnectionMonitor
    /// The interrupt of the transferring thread: raised to end the transfer, or to transfer another part of the medium.
    private let interrupt = Interrupt()
    /// The signal that wakes the transferring thread.
    private let work = WakeSignal()
    /// The signal that wakes the reader's thread.
    private let news = WakeSignal()

    /// The largest reserve of the medium of an item that is not current, in bytes. The reserve is the bytes that were transferred and not read yet.
    static let followerReserve: Int64 = 512 << 10
    /// The smallest capacity of the reserve of the current item's medium, in bytes.
    static let smallestReserve: Int64 = 256 << 10
    /// The capacity divided by this is reserved for the bytes before the reader's offset, which backward seeks need.
    private static let partBehind: Int64 = 4
    private static let blockSize = 32 << 10
    /// The number of bytes before the needed byte at which the transfer begins after a jump.
    static let leadIn: Int64 = 16 << 10

    /// - Parameter isOpening: Whether the transfer is limited until `finishOpening`: to the bytes that the reader has announced; if it has announced
    ///   none, to as many bytes as a first request asks for. A read that continues directly after the transferred bytes ends this limit.
    init(capacity: Int64, isOpening: Bool = false, monitor: ConnectionMonitor) {
        state = Mutex(State(needed: isOpening ? 0..<RequestSizes.windows.lowerBound : nil, isOpening: isOpening))
        self.capacity = max(capacity, 4 * PageStore.pageSize)
        self.monitor = monitor
    }

    // MARK: The reader's thread

    /// The length of the medium, in bytes; nil if it is unknown.
    var length: Int64? { state.withLock { $0.length } }

    /// Returns whether all bytes in `range` are kept.
    func isPresent(_ range: Range<Int64>) -> Bool { state.withLock { $0.store.end(from: range.lowerBound) >= range.upperBound } }

    /// Restricts the transfer to a range of bytes, from the next read on; nil ends the restriction. A read outside of the range ends it too;
    /// while the medium is being opened, only if the bytes at its offset are not stored yet.
    func setNeeded(_ range: Range<Int64>?) { state.withLock { $0.needed = range } }

    /// The longest gap before needed bytes, in bytes, over which a response is continued instead of a new request (`RequestSizes`); the smallest
    /// value until the speed of the link is known.
    var readThroughLimit: Int64 { state.withLock { $0.readThroughLimit } }

    /// Ends the opening of the medium: from now on, the bytes after the reader are transferred.
    func finishOpening() {
        state.withLock { state in
            if state.isOpening { (state.isOpening, state.needed) = (false, nil) }
        }
        work.raise()
    }

    /// Copies kept bytes from `offset` on, and returns their number. The transfer continues at the same bytes as before.
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { $0.store.copy(at: offset, into: buffer) }
    }

    /// Returns the properties of the open medium; nil while it is being opened. Throws the error of a medium that could not be opened.
    func opened() throws(PlaybackError) -> Opened? { try state.withLock { $0.opening }?.get() }

    /// Waits until the state of the transfer has changed, or until a host time.
    func waitForNews(until deadline: HostTime) { _ = news.wait(until: deadline) }

    /// Copies bytes from `offset` on, and returns their number; 0 at the end of the medium, nil if the bytes have not arrived. From now on, the bytes
    /// after `offset` are transferred.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int? {
        let result = state.withLock { state -> Result<Int?, PlaybackError> in
            let isElsewhere = offset != state.reader
            state.reader = offset
            let count = state.store.read(at: offset, into: buffer)
            if count == 0 || !state.isOpening { Transfer.updateNeeded(&state) }
            if count > 0 {
                state.reader += Int64(count)
                return .success(count)
            }
            if let end = state.end, offset >= end { return .success(0) }
            if let failure = state.failure {
                if failure.offset == offset, !isElsewhere { return .failure(failure.error) }
                if isElsewhere { state.failure = nil }
            }
            let distance = offset - state.position
            if !state.isIdle, distance < 0 || distance > RequestSizes.smallestGap, !Transfer.isReadThrough(state, to: offset) { interrupt.raise() }
            return .success(nil)
        }
        work.raise()
        return try result.get()
    }

    /// Updates `needed` for a read at the reader's offset. If `needed` does not contain the offset, it becomes nil: all bytes up to the end are
    /// needed. While the medium is being opened, a read elsewhere than at the transfer's position needs only a window around its offset.
    private static func updateNeeded(_ state: inout State) {
        guard state.needed?.contains(state.reader) != true else { return }
        let isElsewhere = state.isOpening && state.reader != state.position
        // This limit only prevents an overflow: no medium is so long.
        let offset = min(state.reader, 1 << 60)
        state.needed = isElsewhere ? max(0, offset - leadIn)..<(offset + RequestSizes.windows.lowerBound) : nil
    }

    /// Returns whether the bytes from the transfer's position to `offset` are received instead of a jump, because all of them were announced.
    private static func isReadThrough(_ state: State, to offset: Int64) -> Bool {
        guard let needed = state.needed else { return false }
        return needed.contains(offset) && needed.contains(state.position) && state.position <= offset
    }

    /// Ends the transfer. The thread ends soon.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            interrupt.raise()
        }
        work.raise()
    }

    /// Wakes the transferring thread, so that it applies the player's new demand: a larger limit of the bytes ahead lets the transfer continue.
    func demandChanged() { work.raise() }

    // MARK: The transferring thread

    /// Opens the medium, and transfers it until `stop` is called.
    func run(_ open: (Interrupt) throws(PlaybackError) -> any ByteSource) {
        let source: any ByteSource
        do throws(PlaybackError) { source = try open(interrupt) } catch {
            state.withLock { $0.opening = .failure(error) }
            return news.raise()
        }
        state.withLock { state in
            state.length = source.length
            state.opening = .success(Opened(isSeekable: source.isSeekable, isLive: source.isLive))
        }
        news.raise()
        source.observeSkipped { [pageLimit] bytes, offset in self.state.withLock { $0.store.fill(bytes, at: offset, upTo: pageLimit) } }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Transfer.blockSize, alignment: 16)
        defer { buffer.deallocate() }
        while let wanted = nextOffset(isSeekable: source.isSeekable) {
            if let offset = wanted { receive(source, at: offset, buffer) } else { work.wait() }
        }
        monitor.setWait(nil)
    }

    /// Returns the offset of the byte to receive next; an inner nil if there is nothing to do, nil after `stop`.
    private func nextOffset(isSeekable: Bool) -> Int64?? {
        let (result, present) = state.withLock { state -> (Int64??, ConnectionMonitor.Reserve) in
            if state.isStopped { return (nil, reserve(state, state.position)) }
            interrupt.clear()
            let next = isSeekable ? Transfer.nextOffset(state) : state.position
            let ahead = next - state.reader
            let limit = aheadLimit(state)
            // The transfer pauses at the limit, and continues after a quarter of the reserve was read.
            state.isFull = state.isFull ? ahead > limit - limit / 4 : ahead >= limit
            let isOver = state.end.map { next >= $0 } ?? false || state.length.map { next >= $0 } ?? false
            if isOver, state.end == nil || state.length != nil { state.end = state.end ?? state.length }
            let hasFailed = state.failure.map { $0.offset == max(next, state.reader) } ?? false
            // Without byte ranges, the transfer cannot jump to the needed bytes, and receives those before them too.
            let isEnough = state.needed.map { isSeekable ? !$0.contains(next) : next >= $0.upperBound } ?? false
            state.isIdle = state.isFull || isOver || hasFailed || isEnough
            if !state.isIdle { state.position = next }
            return (.some(state.isIdle ? nil : next), reserve(state, next))
        }
        if case .some(nil) = result { monitor.setReserve(present, notifies: true) }
        return result
    }

    /// Returns the offset of the first byte, from the reader on, that is not kept. A jump to this byte begins `leadIn` bytes earlier: FFmpeg finds a
    /// position in a file by several small steps back, which then need no requests. It does not begin before a range that the reader has announced,
    /// because the reader makes no such steps before the range.
    private static func nextOffset(_ state: State) -> Int64 {
        let next = state.store.end(from: state.reader)
        guard next == state.reader, next != state.position, state.length.map({ next < $0 }) ?? true else { return next }
        if isReadThrough(state, to: next) { return state.position }
        let start = max(next - leadIn, state.needed.map { $0.contains(next) ? $0.lowerBound : 0 } ?? 0)
        if state.position >= start, state.position < next { return state.position }
        return min(next, state.store.end(from: start))
    }

    /// The number of bytes that are transferred ahead of the reader. A medium that fits into the capacity is kept whole.
    private func aheadLimit(_ state: State) -> Int64 {
        guard monitor.isCurrent else { return min(Transfer.followerReserve, capacity / 2) }
        let most = state.length.map { $0 <= capacity } ?? false ? capacity : capacity - capacity / Transfer.partBehind
        return monitor.capacity.map { min(most, max(Transfer.smallestReserve, $0)) } ?? most
    }

    private func reserve(_ state: State, _ next: Int64) -> ConnectionMonitor.Reserve {
        let length = state.end ?? state.length
        return ConnectionMonitor.Reserve(
            ahead: max(0, next - state.reader), missing: length.map { max(0, $0 - next) }, length: length, isFull: state.isFull)
    }

    private func receive(_ source: any ByteSource, at offset: Int64, _ buffer: UnsafeMutableRawBufferPointer) {
        do throws(PlaybackError) {
            source.setNeeded(state.withLock { $0.needed })
            if source.offset != offset { try source.seek(to: offset) }
            let count = try source.read(into: buffer)
            let present = state.withLock { state in
                state.length = source.length
                state.readThroughLimit = source.readThroughLimit
                if count == 0 { state.end = offset }
                state.store.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
                state.position = offset + Int64(count)
                state.store.discard(downTo: pageLimit, reader: state.reader)
                return reserve(state, state.position)
            }
            let isNewPage = offset / PageStore.pageSize != (offset + Int64(count)) / PageStore.pageSize
            monitor.setReserve(present, notifies: isNewPage || count == 0)
        } catch {
            // An interrupt only means that another part of the medium is needed, or none.
            guard error.code != .cancelled else { return news.raise() }
            state.withLock { state in
                // If the reader waits for a byte up to `distance` after the failed one, it receives the error at this byte. The distance is `leadIn`,
                // because a jump begins so much earlier, and has no limit if the bytes in between are read through.
                let distance = Transfer.isReadThrough(state, to: state.reader) ? Int64.max : Transfer.leadIn
                state.failure = (state.reader - offset > distance ? offset + distance : max(offset, state.reader), error)
            }
        }
        news.raise()
    }
}
