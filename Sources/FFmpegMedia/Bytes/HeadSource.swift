import PlaybackEngine

/// The layer between a medium's byte source and FFmpeg. Through it other types examine the beginning of the medium before FFmpeg reads it, and hide
/// elements of the medium from FFmpeg by replacing single bytes. It also checks all bytes that FFmpeg reads for too many fragments and invalid cues.
///
/// While the medium is opened, its first bytes are kept if the medium is on a server or cannot seek. Reading them again costs no request, and works
/// without a seek.
final class HeadSource: ByteSource {
    private let base: any ByteSource
    /// The first bytes of the medium, from offset 0 on, while they are kept.
    private var head: [UInt8] = []
    /// Whether bytes of the medium are kept, which is so until `stopKeeping`; always false for a local medium that can seek.
    private var isKeeping: Bool
    /// The kept parts of a server's medium that are far from its beginning, each with the offset of its first byte.
    private var keptRanges: [(start: Int64, bytes: [UInt8])] = []
    /// The replacements for single bytes of the medium, by the offset of the replaced byte.
    private var patches: [Int64: UInt8] = [:]
    /// The offsets at which a Matroska file claims to have cues (its index for seeks). If FFmpeg jumps to such an offset, and the element at the
    /// offset is not cues or is too large, the element is hidden from FFmpeg.
    private var cues: [Int64] = []
    /// The byte offset after the last byte that was read from the medium.
    private var lastEnd: Int64 = 0
    /// The counter of the fragments of an MP4 file; nil if the medium is known to be in another format.
    private var fragments: FragmentCounter? = FragmentCounter()
    /// The values on which the limits on the fragments of an MP4 file depend: the number of index entries that FFmpeg makes from the tables of the
    /// header, the number of tracks, the ids of the tracks (nil if a track has none), and the file's share of the index budget (the memory of
    /// FFmpeg's indexes of all open media). Nil for other media, and before the header is known.
    private var movie: (entries: Int64, trackCount: Int, tracks: Set<Int64>?, share: IndexShare)?
    /// The byte ranges received from the medium's byte source. Bytes that are read again do not count again.
    private var received = ByteRanges()
    private(set) var offset: Int64 = 0

    /// The maximum number of a medium's first bytes that are kept: the header of an MP4 file of 72 hours has some 60 MB.
    private static let limit = 96 << 20
    /// The largest gap, in bytes, that is read and kept instead of skipped, between the kept first bytes and a range that is requested from
    /// `bytes(_:)`. Such a gap is usually a picture in a tag. FFmpeg reads the picture afterwards in any case, so keeping it saves a request.
    private static let readAheadLimit: Int64 = 16 << 20

    /// - Parameter base: The source of the medium's bytes, at byte offset 0.
    init(_ base: any ByteSource) {
        self.base = base
        // A local medium can be read twice, so its first bytes are not kept.
        isKeeping = base.isRemote || !base.isSeekable
    }

    var length: Int64? { base.length }
    var storedLength: Int64? { base.storedLength }
    /// The number of the medium's bytes that are known to exist: the bytes of a file that occupy the disk; otherwise the number of different
    /// bytes received so far.
    var knownLength: Int64 { base.presentStoredLength ?? received.count }
    var isRemote: Bool { base.isRemote }
    var isLive: Bool { base.isLive }
    var isSeekable: Bool { base.isSeekable }
    func isPresent(_ range: Range<Int64>) -> Bool { base.isPresent(range) }
    var keepsBytes: Bool { base.keepsBytes }
    var readThroughLimit: Int64 { base.readThroughLimit }
    func setNeeded(_ range: Range<Int64>?) { base.setNeeded(range) }
    func noteProgress() { base.noteProgress() }
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { base.copyPresent(at: offset, into: buffer) }

    /// Sets the byte offset of the next read. If no byte is kept at the new offset, the byte source `base` seeks. If it cannot seek, the bytes up to
    /// the new offset are read and kept.
    func seek(to offset: Int64) throws(PlaybackError) {
        let target = max(0, offset)
        if isKeeping, !isSeekable, target > Int64(head.count) { try readOn(to: target) }
        if !isKept(target), base.offset != target { try base.seek(to: target) }
        self.offset = target
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let start = offset
        var count: Int
        if start < Int64(head.count) {
            count = min(buffer.count, head.count - Int(start))
            buffer.copyBytes(from: head[Int(start)..<(Int(start) + count)])
        } else if let range = keptRanges.first(where: { start >= $0.start && start < $0.start + Int64($0.bytes.count) }) {
            let index = Int(start - range.start)
            count = min(buffer.count, range.bytes.count - index)
            buffer.copyBytes(from: range.bytes[index..<(index + count)])
        } else {
            if base.offset != start { try base.seek(to: start) }
            discardHead()
            count = try base.read(into: buffer)
            received.insert(start..<(start + Int64(count)))
            if isKeeping, start == Int64(head.count), head.count + count <= HeadSource.limit {
                head += UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            }
        }
        try checkCues(buffer, start, &count)
        offset += Int64(count)
        if !patches.isEmpty {
            for (patch, byte) in patches where (start..<offset).contains(patch) { buffer[Int(patch - start)] = byte }
        }
        fragments?.examine(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset: start)
        try checkFragments()
        return count
    }

    /// Returns the medium's bytes in `range`; fewer bytes if the medium ends within the range. The next `read` continues after the returned bytes. If
    /// bytes are being kept, and the gap between the first bytes and the range has at most `readAheadLimit` bytes, the gap is read and kept too.
    func bytes(_ range: Range<Int64>) throws(PlaybackError) -> [UInt8] {
        let distance = range.lowerBound - Int64(head.count)
        if isKeeping, distance > 0, distance <= HeadSource.readAheadLimit, !isKept(range.lowerBound) { try readOn(to: range.lowerBound) }
        try seek(to: range.lowerBound)
        return try readBytes(range.count)
    }

    /// Sets the offsets at which a Matroska file claims to have cues (its index for seeks). An element at one of them that is not cues, or has a size
    /// above `MatroskaScreen.cueLimit`, is hidden from FFmpeg.
    func hideInvalidCues(at offsets: [Int64]) { cues = offsets }

    /// Records that the medium is an MP4 file with the header `header`. From now on the number of its fragments is limited, including those that have
    /// already been read, and the index entries that they cause are counted in `share`.
    func watch(_ header: MovieHeader, _ share: IndexShare) throws(PlaybackError) {
        movie = (header.tables.entryCount, header.tables.trackCount, header.tables.ids, share)
        try share.grow(to: header.tables.entryCount)
        try checkFragments()
    }

    /// Records that the medium is not an MP4 file, so that its fragments are not counted.
    func stopWatching() { fragments = nil }

    private func checkFragments() throws(PlaybackError) {
        guard let movie, let fragments else { return }
        guard fragments.isWithinLimit(tracks: movie.trackCount) else { throw .tooManyFragments }
        let count = fragments.entryCount(tracks: movie.tracks)
        guard count > 0 else { return }
        guard FragmentCounter.holds(count, in: knownLength) else { throw .tooManySamples }
        try movie.share.grow(to: movie.entries + count)
    }

    /// Hides the element at the start of `buffer` from FFmpeg if FFmpeg has jumped there to read cues, and the element is not cues or is too large.
    /// `start` is the offset of the buffer's first byte in the medium, `count` the number of bytes in the buffer. If the head of the element is
    /// incomplete, more bytes are read into the buffer, and `count` grows.
    private func checkCues(_ buffer: UnsafeMutableRawBufferPointer, _ start: Int64, _ count: inout Int) throws(PlaybackError) {
        defer { lastEnd = start + Int64(count) }
        // Bytes that FFmpeg reads in sequence, without a jump, are audio and not cues.
        guard start != lastEnd, count > 0, cues.contains(start) else { return }
        while count < min(buffer.count, EBMLHead.maximumLength), base.offset == start + Int64(count) {
            let more = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            if more == 0 { break }
            count += more
            received.insert(start..<(start + Int64(count)))
        }
        // 0xEC is the identifier of "Void", a Matroska element that FFmpeg skips.
        if !MatroskaScreen.isCues(Array(buffer[..<min(count, EBMLHead.maximumLength)])[...]) { buffer[0] = 0xEC }
    }

    /// Reads and keeps `count` bytes from byte `start` on; fewer if the medium ends before. Does nothing if the byte at `start` is already kept, if
    /// the medium cannot seek, or if bytes are not kept (`isKeeping`).
    func keep(_ start: Int64, count: Int64) throws(PlaybackError) {
        guard isKeeping, isSeekable, start >= Int64(head.count), !isKept(start) else { return }
        if base.offset != start { try base.seek(to: start) }
        let bytes = try base.readBytes(Int(count))
        received.insert(start..<(start + Int64(bytes.count)))
        keptRanges.append((start, bytes))
    }

    /// Returns whether the medium's byte at `offset` is kept, so that reading it costs no request.
    func isKept(_ offset: Int64) -> Bool {
        offset < Int64(head.count) || keptRanges.contains { offset >= $0.start && offset < $0.start + Int64($0.bytes.count) }
    }

    /// Returns whether reading the bytes of a range costs neither a request nor a seek in a medium that cannot seek: they are those of a local file, or
    /// kept.
    func isAtHand(_ range: Range<Int64>) -> Bool {
        if !isRemote, isSeekable { return true }
        return range.upperBound <= Int64(head.count)
            || keptRanges.contains { $0.start <= range.lowerBound && range.upperBound <= $0.start + Int64($0.bytes.count) }
    }

    /// Adds replacements for single bytes of the medium; from now on, every read returns the replacements. The keys of `patches` are byte offsets in
    /// the medium.
    func patch(_ patches: [Int64: UInt8]) { self.patches.merge(patches) { $1 } }

    /// Stops keeping bytes of the medium, and discards the kept bytes that will not be read again.
    func stopKeeping() {
        isKeeping = false
        keptRanges = []
        discardHead()
    }

    /// Discards the first bytes after FFmpeg has read beyond them, because FFmpeg does not read them again.
    private func discardHead() {
        if !isKeeping, offset >= Int64(head.count) { head = [] }
    }

    private func readOn(to target: Int64) throws(PlaybackError) {
        guard target <= Int64(HeadSource.limit) else { throw PlaybackError(.notSeekable, "The medium's header is too large to be kept in memory.") }
        offset = Int64(head.count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while offset < target {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(65_536, target - offset))])
            if try read(into: part) == 0 { return }
        }
    }
}

extension ByteSource {
    /// Returns the bytes of one read, at most `size`; empty only at the end of the medium.
    func readBlock(_ size: Int) throws(PlaybackError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        let count = try read(into: buffer)
        return Array(buffer[..<count])
    }

    /// Returns the next `count` bytes; fewer if the medium ends before.
    func readBytes(_ count: Int) throws(PlaybackError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let block = try readBlock(count - bytes.count)
            if block.isEmpty { break }
            bytes += block
        }
        return bytes
    }
}
