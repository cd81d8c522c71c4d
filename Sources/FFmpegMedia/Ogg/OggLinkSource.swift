import PlaybackEngine

/// Delivers one link of a chained Ogg stream (RFC 3533, section 4) at a time; reading stops at the end of the link until `advance()` is called.
///
/// FFmpeg would read the next link as a continuation of the current one: with earlier timestamps, and without the headers, encoder's delay and sample
/// rate of the next link. A medium that is not Ogg is delivered unchanged.
final class OggLinkSource: ByteSource {
    private let base: any ByteSource
    /// The bytes that were read from `base` and not delivered; a slice, so that delivery moves no bytes.
    private var pending: ArraySlice<UInt8> = []
    /// The number of bytes that are read from `base` at once.
    private static let blockSize = 16_384
    /// The number of bytes after those already delivered that certainly belong to the current link; `.max` if the medium is not Ogg.
    private var available = 0
    private var sawData = false
    /// Whether the next page is the first of another link.
    private var isAtNext = false
    /// The byte offset of the current link in `base`.
    private(set) var start: Int64
    private(set) var offset: Int64 = 0

    /// Begins the first link at the byte offset `start` of `base`. If `base` is at another offset, it must be able to seek.
    init(_ base: any ByteSource, from start: Int64 = 0) throws(PlaybackError) {
        self.base = base
        self.start = start
        if base.offset != start { try base.seek(to: start) }
    }

    /// The number of bytes from the start of the current link to the end of the medium; nil if unknown.
    var length: Int64? { base.length.map { max(0, $0 - start) } }
    var isRemote: Bool { base.isRemote }
    var isLive: Bool { base.isLive }
    var isSeekable: Bool { false }
    func noteProgress() { base.noteProgress() }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
    }

    /// Returns whether the medium begins with an Ogg page. If not, all bytes are delivered unchanged from now on.
    func beginsAsOgg() throws(PlaybackError) -> Bool {
        try gather(4)
        if pending.starts(with: "OggS".utf8) { return true }
        available = .max
        return false
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if available == 0 { available = try nextPage() }
        guard available > 0 else { return 0 }
        var count = min(buffer.count, available)
        if pending.isEmpty {
            count = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        } else {
            count = min(count, pending.count)
            buffer.copyBytes(from: pending.prefix(count))
            pending.removeFirst(count)
        }
        available -= count
        offset += Int64(count)
        return count
    }

    /// Skips the rest of the current link, and begins the next one; returns false if there is none.
    func advance() throws(PlaybackError) -> Bool {
        while try !readBlock(OggLinkSource.blockSize).isEmpty {}
        guard isAtNext else { return false }
        isAtNext = false
        sawData = false
        start += offset
        offset = 0
        return true
    }

    /// Returns the size of the next page, or of the damaged bytes before the next possible page; 0 at the end of the link or of the medium.
    private func nextPage() throws(PlaybackError) -> Int {
        guard !isAtNext else { return 0 }
        try gather(OggPage.headSize)
        guard pending.starts(with: "OggS".utf8), pending.count >= OggPage.headSize else {
            // The page is incomplete or damaged. The signature of another page may begin in the last 3 bytes, so these are not yet delivered.
            return OggPage.distance(in: pending) ?? (pending.count < OggPage.headSize ? pending.count : pending.count - 3)
        }
        try gather(OggPage.headSize + Int(pending[pending.startIndex + 26]))
        guard let page = OggPage(pending) else { return OggPage.distance(in: pending) ?? 1 }
        if page.isFirst, sawData {
            isAtNext = true
            return 0
        }
        try gather(page.size)
        // After a lost connection, the new connection may begin with another link, in the middle of this page.
        if !page.isFirst, let next = try startOfLink(inPageOf: page.size) { return next }
        sawData = !page.isFirst
        return page.size
    }

    /// Returns the offset of another link's first page inside the pending page of `size` bytes; nil if there is none, or the checksum shows that the
    /// pending page is complete.
    private func startOfLink(inPageOf size: Int) throws(PlaybackError) -> Int? {
        let page = pending.prefix(size), mark = "OggS".utf8
        // The signature may begin in the last 3 bytes. The checksum is computed only if there are signs of another page.
        let hasSign = OggPage.distance(in: page) != nil || (1...3).contains { page.suffix($0).elementsEqual(mark.prefix($0)) }
        guard hasSign, !OggPage.hasValidChecksum(page) else { return nil }
        let count = size + OggPage.headSize + 255
        try gather(count)
        var rest = pending.prefix(count)
        while let distance = OggPage.distance(in: rest) {
            rest = rest.dropFirst(distance)
            let offset = rest.startIndex - pending.startIndex
            guard offset < size else { return nil }
            if OggPage(rest)?.isFirst == true { return offset }
        }
        return nil
    }

    /// Reads until `count` bytes are pending, or `base` ends.
    private func gather(_ count: Int) throws(PlaybackError) {
        while pending.count < count {
            let block = try base.readBlock(OggLinkSource.blockSize)
            guard !block.isEmpty else { return }
            pending += block
        }
    }
}
