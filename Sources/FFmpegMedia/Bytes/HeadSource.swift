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
    private var patches: [Int64: UInt8] = [:]
    /// Looks at the fragments of an MP4 file as they pass; nil where the medium is known to be another.
    private var fragments: FragmentWatch? = FragmentWatch()
    private var isMovie = false
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
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { base.isSeekable }

    /// Goes anywhere in what is kept, and further where the base can; where it cannot, what lies between is read and kept.
    func seek(to offset: Int64) throws(PlaybackError) {
        let target = max(0, offset)
        if isKeeping, !isSeekable, target > Int64(head.count) { try readOn(to: target) }
        if target >= Int64(head.count), base.offset != target { try base.seek(to: target) }
        self.offset = target
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let start = offset
        var count: Int
        if start < Int64(head.count) {
            count = min(buffer.count, head.count - Int(start))
            buffer.copyBytes(from: head[Int(start)..<(Int(start) + count)])
        } else {
            if base.offset != start { try base.seek(to: start) }
            forget()
            count = try base.read(into: buffer)
            if isKeeping, start == Int64(head.count), head.count + count <= HeadSource.limit {
                head += UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            }
        }
        offset += Int64(count)
        if !patches.isEmpty {
            for (place, byte) in patches where (start..<offset).contains(place) { buffer[Int(place - start)] = byte }
        }
        fragments?.look(at: UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset: start)
        if isMovie { try checkFragments() }
        return count
    }

    /// The bytes of `range`, fewer at the end. What lies before them is kept if it is little. The place is another afterwards.
    func bytes(_ range: Range<Int64>) throws(PlaybackError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count), done = 0
        let way = range.lowerBound - Int64(head.count)
        if isKeeping, way > 0, way <= HeadSource.shortWay { try readOn(to: range.lowerBound) }
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

    /// The container is known: an MP4 file's fragments are watched, those too that have passed.
    func setMovie(_ isMovie: Bool) throws(PlaybackError) {
        self.isMovie = isMovie
        if isMovie { try checkFragments() } else { fragments = nil }
    }

    private func checkFragments() throws(PlaybackError) {
        guard fragments?.fits(length) ?? true else { throw .tooManySamples }
    }

    /// Has single bytes read as others.
    func patch(_ patches: [Int64: UInt8]) { self.patches.merge(patches) { $1 } }

    /// Keeps nothing more, and forgets what is behind the place.
    func stopKeeping() {
        isKeeping = false
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
