import PlaybackEngine

/// Presents a byte range of another source as a whole file, for example one of several joined files.
final class WindowSource: ByteSource {
    private let base: any ByteSource
    private let range: Range<Int64>
    private(set) var offset: Int64 = 0

    init(_ base: any ByteSource, _ range: Range<Int64>) {
        self.base = base
        self.range = range
    }

    var length: Int64? { range.upperBound - range.lowerBound }
    var storedLength: Int64? { base.storedLength }
    var isSeekable: Bool { base.isSeekable }
    var isRemote: Bool { base.isRemote }
    var isLive: Bool { base.isLive }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let left = range.upperBound - range.lowerBound - offset
        guard left > 0 else { return 0 }
        // Other users of `base` may have changed its offset.
        try base.seek(to: range.lowerBound + offset)
        let wanted = Int(min(Int64(buffer.count), left))
        let count = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        offset += Int64(count)
        return count
    }

    func seek(to offset: Int64) throws(PlaybackError) { self.offset = max(0, offset) }
    func noteProgress() { base.noteProgress() }
}
