import Platform
import PlaybackEngine

/// Ends the reading of a medium that yields no audio: a file with a hole of hundreds of gigabytes, or a server that sends zeros for ever. Everything
/// that opens or reads a medium reads through this source. So a medium has one budget: of bytes, of processor time, and of time in which a server is
/// awaited. Audio renews the budget (`noteProgress`), also digital silence, and so does each call of the reader. A raised interrupt ends the reading
/// too.
///
/// A file may be read once as a whole without audio, because a seek without an index requires it. The holes of a sparse file do not count for this.
/// The reader of a file that only reads on gets so little of a hole (`readLimit`) that this takes less than a second. So neither a pause nor other
/// work of the same thread has to interrupt it.
final class BudgetedSource: ByteSource {
    private let base: any ByteSource
    private let interrupt: Interrupt
    private let clock: any HostClock
    private let processor: any HostClock
    private let byteLimit: Int64
    /// The number of bytes without audio that the present call of the reader may read, in addition to the stored length of a file.
    private var allowance: Int64

    /// The number of bytes that were read since the last progress.
    private var byteCount: Int64 = 0
    /// The time in which a server was awaited since the last progress, in seconds.
    private var waited = 0.0
    /// The processor time of the reading thread at the first read since the last progress; nil before that read.
    private var processorStart: HostTime?

    /// The number of bytes without audio that are read, in addition to the stored length of a file. The index of a book of 72 hours has 60 MB, and a
    /// large picture 16 MB.
    static let byteLimit: Int64 = 256 << 20
    /// The number of bytes without audio that are read in addition to the stored length of a file, if no other place is searched.
    static let readLimit: Int64 = 32 << 20
    /// The greatest length of a medium, in bytes; `HTTPReply` ignores a greater one too.
    private static let longest: Int64 = 1 << 60
    /// The processor time that may pass without audio, in seconds.
    static let processorLimit = 20.0
    /// The time in which a server may be awaited without audio, in seconds: at 8 kbit/s, 900 kB arrive in this time.
    static let waitLimit = 900.0
    /// The greatest time that counts as waiting in one read, in seconds. `RetryPolicy` decides how long an interrupted connection is awaited.
    static let longestWait = 20.0

    init(
        _ base: any ByteSource, interrupt: Interrupt, byteLimit: Int64 = BudgetedSource.byteLimit, clock: any HostClock = MonotonicClock(),
        processor: any HostClock = ThreadClock()
    ) {
        self.base = base
        self.interrupt = interrupt
        self.byteLimit = byteLimit
        allowance = byteLimit
        self.clock = clock
        self.processor = processor
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if interrupt.isRaised { throw .cancelled }
        try check()
        let start = base.isRemote ? clock.now : nil
        defer { if let start { waited += min(clock.now - start, BudgetedSource.longestWait) } }
        let count = try base.read(into: buffer)
        byteCount += Int64(count)
        return count
    }

    /// Renews the budget.
    func noteProgress() {
        byteCount = 0
        waited = 0
        processorStart = nil
    }

    /// Renews the budget for a call of the reader that reads on.
    func beginReading() {
        noteProgress()
        allowance = base.isRemote ? byteLimit : min(byteLimit, BudgetedSource.readLimit)
    }

    /// Renews the budget for a call of the reader that may search the whole medium.
    func beginSearching() {
        noteProgress()
        allowance = byteLimit
    }

    private func check() throws(PlaybackError) {
        let now = processor.now, start = processorStart ?? now
        processorStart = start
        guard waited < BudgetedSource.waitLimit else {
            throw PlaybackError(.timedOut, "The medium arrives too slowly: no audio came for \(Int(BudgetedSource.waitLimit / 60)) minutes.")
        }
        let isTooLong = byteCount >= allowance && byteCount >= allowance + (base.presentStoredLength ?? 0)
        guard !isTooLong, now - start < BudgetedSource.processorLimit else {
            throw PlaybackError(.noAudio, "A long part of the medium contains no audio.")
        }
    }

    var offset: Int64 { base.offset }
    /// The length, at most `longest`: a sparse file may have 2⁶³ bytes, and later computations count bits.
    var length: Int64? { base.length.map { min($0, BudgetedSource.longest) } }
    var storedLength: Int64? { base.storedLength }
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { base.isSeekable }
    var isLive: Bool { base.isLive }
    var keepsBytes: Bool { base.keepsBytes }
    var readThroughLimit: Int64 { base.readThroughLimit }
    func seek(to offset: Int64) throws(PlaybackError) { try base.seek(to: offset) }
    func isPresent(_ range: Range<Int64>) -> Bool { base.isPresent(range) }
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { base.copyPresent(at: offset, into: buffer) }
    func setNeeded(_ range: Range<Int64>?) { base.setNeeded(range) }
    func observeSkipped(_ observer: @escaping (UnsafeRawBufferPointer, Int64) -> Void) { base.observeSkipped(observer) }
    func finishOpening() { base.finishOpening() }
    func setDeadline(_ deadline: HostTime) { base.setDeadline(deadline) }
}

extension PlaybackError {
    /// Whether the budget of a medium is used up (`BudgetedSource`), if a byte source has thrown this error.
    var isExhaustion: Bool { code == .noAudio || code == .timedOut }
}
