import PlaybackEngine

/// A byte source that delivers one link of a chained Ogg stream (RFC 3533, section 4) at a time, in sequence. Reading stops at the end of a link
/// until `advance()` is called.
///
/// FFmpeg receives each link of a chained Ogg stream alone. If FFmpeg received several links, it would read the next link as the continuation of the
/// same stream: the link's timestamps would be earlier than the audio already played, and the link's headers, encoder's delay and sample rate would
/// be ignored. `OggLinkSource` delivers a medium that is not Ogg unchanged.
final class OggLinkSource: ByteSource {
    private let base: any ByteSource
    /// The pending bytes: those that have been read from `base` but not delivered yet. A slice, so that delivery moves no bytes.
    private var pending: ArraySlice<UInt8> = []
    private var block = [UInt8](repeating: 0, count: 16_384)
    /// The number of bytes, from the next one to deliver on, that certainly belong to the current Ogg link; `.max` if the medium is not Ogg.
    private var available = 0
    private var sawData = false
    /// Whether the next Ogg page is the first page of another link.
    private var isAtNext = false
    /// The byte offset in `base` at which the current Ogg link begins.
    private(set) var start: Int64
    private(set) var offset: Int64 = 0

    /// Begins with the Ogg link at byte `start` of `base`, which must be at this offset already or be able to seek.
    init(_ base: any ByteSource, from start: Int64 = 0) throws(PlaybackError) {
        self.base = base
        self.start = start
        if base.offset != start { try base.seek(to: start) }
    }

    /// The number of bytes from the start of the current Ogg link on, including those of the next links; nil if it is unknown.
    var length: Int64? { base.length.map { max(0, $0 - start) } }
    var isRemote: Bool { base.isRemote }
    var isLive: Bool { base.isLive }
    var isSeekable: Bool { false }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
    }

    /// Returns whether the next bytes of the medium begin an Ogg page. If they do not, all bytes of the medium are delivered unchanged from now on.
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

    /// Discards the remaining bytes of the current Ogg link and advances to the next link; returns false if there is no next link.
    func advance() throws(PlaybackError) -> Bool {
        let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { rest.deallocate() }
        while try read(into: rest) > 0 {}
        guard isAtNext else { return false }
        isAtNext = false
        sawData = false
        start += offset
        offset = 0
        return true
    }

    /// Returns the size, in bytes, of what is at the start of the pending bytes: an Ogg page, or damaged bytes up to the next possible page. Returns
    /// 0 at the end of the link and of the medium.
    private func nextPage() throws(PlaybackError) -> Int {
        guard !isAtNext else { return 0 }
        try gather(OggPage.headSize)
        guard pending.starts(with: "OggS".utf8), pending.count >= OggPage.headSize else {
            // Either `base` ends before a complete page head, or the bytes are damaged up to the next possible page, whose signature may begin in the
            // last 3 bytes.
            return OggPage.distance(in: pending) ?? (pending.count < OggPage.headSize ? pending.count : pending.count - 3)
        }
        try gather(OggPage.headSize + Int(pending[pending.startIndex + 26]))
        guard let page = OggPage(pending) else { return OggPage.distance(in: pending) ?? 1 }
        if page.isFirst, sawData {
            isAtNext = true
            return 0
        }
        try gather(page.size)
        // If the connection was lost inside this page, the bytes of the next connection follow, which may begin with another link.
        if !page.isFirst, let next = try startOfLink(inPageOf: page.size) { return next }
        sawData = !page.isFirst
        return page.size
    }

    /// Returns the distance, in bytes, from the start of the pending bytes to the first page of another link, if that page begins inside the page of
    /// `size` bytes at their start. Returns nil if there is no such page, or if the checksum of the page at the start shows that it is complete.
    private func startOfLink(inPageOf size: Int) throws(PlaybackError) -> Int? {
        let page = pending.prefix(size), mark = "OggS".utf8
        // The signature of another page may also begin in the last 3 bytes. A checksum is computed only if there are signs of another page.
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

    /// Reads from the byte source `base` until at least `count` bytes are pending, or `base` ends.
    private func gather(_ count: Int) throws(PlaybackError) {
        while pending.count < count {
            var failure: PlaybackError?
            let got = block.withUnsafeMutableBytes { bytes in
                do throws(PlaybackError) { return try base.read(into: bytes) } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            guard got > 0 else { return }
            pending += block[..<got]
        }
    }
}
