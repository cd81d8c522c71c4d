import PlaybackEngine

/// What stands between a medium and FFmpeg: its beginning can be looked at before FFmpeg reads it, some of its bytes read otherwise than they are, and
/// what passes is watched.
///
/// The first bytes of a server's medium are kept for that, so that going back to them costs no request, and works where nothing else can be positioned.
final class HeadSource: ByteSource {
    private let base: any ByteSource
    /// The first bytes of the base, while they are kept.
    private var head: [UInt8] = []
    private var isKeeping: Bool
    /// Pieces of a server's medium that lie far behind, kept like its beginning.
    private var islands: [(start: Int64, bytes: [UInt8])] = []
    private var patches: [Int64: UInt8] = [:]
    /// The places at which a Matroska file says to have cues: what is something else there, or too large, is hidden when FFmpeg comes to it.
    var cues: [Int64] = []
    /// The byte behind those that were read last.
    private var lastEnd: Int64 = 0
    /// Looks at the fragments of an MP4 file as they pass; nil where the medium is known to be another.
    private var fragments: FragmentWatch? = FragmentWatch()
    /// What its header names, and the room for its index, where it is an MP4 file.
    private var movie: (entries: Int64, trackCount: Int, tracks: Set<Int64>?, room: IndexRoom)?
    /// Bytes that came from the base.
    private var received: Int64 = 0
    private(set) var offset: Int64 = 0

    /// The most that is kept, bytes: the header of an MP4 of 72 hours has some 60 MB.
    private static let limit = 96 << 20
    /// What is read rather than gone past, bytes: a picture in a tag, which FFmpeg reads too.
    private static let shortWay: Int64 = 16 << 20

    /// Begins where `base` is, which is its start.
    init(_ base: any ByteSource) {
        self.base = base
        // A local file can be read twice.
        isKeeping = base.isRemote || !base.isSeekable
    }

    var length: Int64? { base.length }
    var storedLength: Int64? { base.storedLength }
    /// Bytes of which more is known than a claim: of a server's medium those that came, of a file those that take room on its disk.
    var knownLength: Int64 { base.isRemote ? received : base.storedLength.map { min($0, base.length ?? $0) } ?? received }
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { base.isSeekable }

    /// Goes anywhere in what is kept, and further where the base can; where it cannot, what lies between is read and kept.
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
        } else if let island = islands.first(where: { start >= $0.start && start < $0.start + Int64($0.bytes.count) }) {
            let place = Int(start - island.start)
            count = min(buffer.count, island.bytes.count - place)
            buffer.copyBytes(from: island.bytes[place..<(place + count)])
        } else {
            if base.offset != start { try base.seek(to: start) }
            forget()
            count = try base.read(into: buffer)
            received += Int64(count)
            if isKeeping, start == Int64(head.count), head.count + count <= HeadSource.limit {
                head += UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            }
        }
        try checkCues(buffer, start, &count)
        offset += Int64(count)
        if !patches.isEmpty {
            for (place, byte) in patches where (start..<offset).contains(place) { buffer[Int(place - start)] = byte }
        }
        fragments?.look(at: UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset: start)
        try checkFragments()
        return count
    }

    /// The bytes of `range`, fewer at the end. What lies before them is kept if it is little. The place is another afterwards.
    func bytes(_ range: Range<Int64>) throws(PlaybackError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count), done = 0
        let way = range.lowerBound - Int64(head.count)
        if isKeeping, way > 0, way <= HeadSource.shortWay, !isKept(range.lowerBound) { try readOn(to: range.lowerBound) }
        try seek(to: range.lowerBound)
        while done < bytes.count {
            var failure: PlaybackError?
            let count = bytes.withUnsafeMutableBytes { buffer in
                do throws(PlaybackError) { return try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...])) } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            if count == 0 { break }
            done += count
        }
        return Array(bytes[..<done])
    }

    /// The medium is an MP4 file with this header: its fragments are watched, those too that have passed, and their entries take of `room`.
    func watch(_ header: MovieHeader, _ room: IndexRoom) throws(PlaybackError) {
        movie = (header.tables.entryCount, header.tables.trackCount, header.tables.ids, room)
        try room.grow(to: header.tables.entryCount)
        try checkFragments()
    }

    /// The medium is none.
    func stopWatching() { fragments = nil }

    private func checkFragments() throws(PlaybackError) {
        guard let movie, let fragments else { return }
        guard fragments.hasFew(tracks: movie.trackCount) else { throw .tooManyFragments }
        let count = fragments.entryCount(tracks: movie.tracks)
        guard count > 0 else { return }
        guard FragmentWatch.holds(count, in: knownLength) else { throw .tooManySamples }
        try movie.room.grow(to: movie.entries + count)
    }

    /// Hides what is no cues, or too many, in bytes that were read from `start` on, where FFmpeg has jumped to; reads on if their head is cut off.
    private func checkCues(_ buffer: UnsafeMutableRawBufferPointer, _ start: Int64, _ count: inout Int) throws(PlaybackError) {
        defer { lastEnd = start + Int64(count) }
        // What is passed in sequence is sound.
        guard start != lastEnd, count > 0, cues.contains(start) else { return }
        while count < min(buffer.count, EBMLHead.most), base.offset == start + Int64(count) {
            let more = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            if more == 0 { break }
            count += more
            received += Int64(more)
        }
        // "Void", of which everything is passed over.
        if !MatroskaScreen.isCues(Array(buffer[..<min(count, EBMLHead.most)])[...]) { buffer[0] = 0xEC }
    }

    /// Keeps so many bytes of a server's medium from `start` on, where it can be positioned; fewer at the end.
    func keep(_ start: Int64, count: Int64) throws(PlaybackError) {
        guard isKeeping, isSeekable, start >= Int64(head.count), !isKept(start) else { return }
        if base.offset != start { try base.seek(to: start) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(count), alignment: 16)
        defer { buffer.deallocate() }
        var done = 0
        while done < buffer.count {
            let more = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            if more == 0 { break }
            done += more
            received += Int64(more)
        }
        islands.append((start, Array(buffer[..<done])))
    }

    /// Whether a byte can be read without a request.
    func isKept(_ place: Int64) -> Bool {
        place < Int64(head.count) || islands.contains { place >= $0.start && place < $0.start + Int64($0.bytes.count) }
    }

    /// Has single bytes read as others.
    func patch(_ patches: [Int64: UInt8]) { self.patches.merge(patches) { $1 } }

    /// Keeps nothing more, and forgets what is behind the place.
    func stopKeeping() {
        isKeeping = false
        islands = []
        forget()
    }

    /// What is kept is not read again after reading has passed it.
    private func forget() {
        if !isKeeping, offset >= Int64(head.count) { head = [] }
    }

    private func readOn(to target: Int64) throws(PlaybackError) {
        guard target <= Int64(HeadSource.limit) else { throw PlaybackError(.notSeekable, "The medium's header is too long to be kept.") }
        offset = Int64(head.count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while offset < target {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(65_536, target - offset))])
            if try read(into: part) == 0 { return }
        }
    }
}
