import Platform
import PlaybackEngine
import Synchronization

/// A byte source that transfers a medium ahead of its reader, on a thread of its own, and keeps the transferred bytes. So minutes of audio are
/// buffered in compressed form, and a seek within the kept bytes needs no request.
///
/// The reader's thread waits only for bytes that have not arrived. The reader receives the error of a failed transfer only after it has read all
/// bytes that arrived before the error.
final class BufferedSource: ByteSource {
    private let transfer: Transfer
    private let interrupt: Interrupt
    private let clock = MonotonicClock()
    private(set) var offset: Int64 = 0
    private var deadline: HostTime?
    let isSeekable: Bool
    let isLive: Bool
    var isRemote: Bool { true }
    var keepsBytes: Bool { true }

    /// The usual maximum number of kept bytes of one medium.
    static let defaultCapacity: Int64 = 32 << 20

    /// Opens the medium on the thread of the transfer, and waits until it is open. `interrupt` ends this wait, and the later waits of the reader.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of kept bytes.
    ///   - isOpening: Whether the medium counts as being opened until `finishOpening` is called.
    ///   - open: The function that opens the medium. The interrupt that it receives is raised when the medium is no longer needed, or when another
    ///     part of the medium is needed.
    init(
        capacity: Int64 = BufferedSource.defaultCapacity, isOpening: Bool = false, monitor: ConnectionMonitor, interrupt: Interrupt,
        makeThread: WorkerThread.Maker = WorkerThread.make,
        open: @escaping @Sendable (Interrupt) throws(PlaybackError) -> any ByteSource
    ) throws(PlaybackError) {
        let transfer = Transfer(capacity: capacity, isOpening: isOpening, monitor: monitor)
        self.transfer = transfer
        self.interrupt = interrupt
        // The thread has no reference to the source, so that the source's `deinit` can end the thread.
        do throws(SystemError) { _ = try makeThread("transfer") { transfer.run(open) } } catch { throw .noThread(error) }
        var opened: Transfer.Opened?
        while opened == nil {
            if interrupt.isRaised {
                transfer.stop()
                throw .cancelled
            }
            opened = try transfer.opened()
            if opened == nil { transfer.waitForNews(until: clock.now + BufferedSource.slice) }
        }
        isSeekable = opened?.isSeekable ?? false
        isLive = opened?.isLive ?? false
        monitor.observeDemand { [weak transfer] in transfer?.demandChanged() }
        monitor.observeRelease { [weak transfer] in transfer?.stop() }
    }

    deinit { transfer.stop() }

    /// The longest wait before the interrupt is looked at again, in seconds.
    private static let slice = 0.01

    var length: Int64? { transfer.length }
    func isPresent(_ range: Range<Int64>) -> Bool { transfer.isPresent(range) }
    func setNeeded(_ range: Range<Int64>?) { transfer.setNeeded(range) }
    var readThroughLimit: Int64 { transfer.readThroughLimit }
    func finishOpening() { transfer.finishOpening() }
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { transfer.copyPresent(at: offset, into: buffer) }

    func setDeadline(_ deadline: HostTime) { self.deadline = deadline }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard isSeekable || offset == self.offset else { throw PlaybackError(.notSeekable, "The server does not support seeking in this medium.") }
        self.offset = max(0, offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        while true {
            if interrupt.isRaised { throw .cancelled }
            if let count = try transfer.read(at: offset, into: buffer) {
                offset += Int64(count)
                return count
            }
            if let deadline, clock.now >= deadline { throw PlaybackError(.timedOut, "The server did not deliver the content in time.") }
            transfer.waitForNews(until: clock.now + BufferedSource.slice)
        }
    }
}
