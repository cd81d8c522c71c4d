import PlaybackEngine

/// Finds the links (consecutive complete streams; RFC 3533, section 4) of a chained Ogg file, so that `ChainedStream` can open each link alone.
/// FFmpeg reads all links as one stream whose timestamps begin again at 0, and cannot seek in this stream.
enum OggChain {
    /// Returns the byte range of each link of a local Ogg file. Returns an empty array if the file is not Ogg or not chained, if it has more than
    /// `limit` links, or if the source is remote, not seekable or of unknown length.
    static func links(_ source: any ByteSource, interrupt: Interrupt) throws(PlaybackError) -> [Range<Int64>] {
        guard source.isSeekable, !source.isRemote, let length = source.length else { return [] }
        var pages = OggPageReader(source, interrupt: interrupt)
        guard try isChained(&pages, length) else { return [] }
        var starts: [Int64] = [], at: Int64 = 0, sawData = false
        while at < length, starts.count <= limit {
            guard let page = try pages.page(at: at) else {
                // If no page begins here, the bytes are damaged; continue with the next page.
                guard let next = try pages.next(from: at + 1) else { break }
                at = next
                continue
            }
            if page.isFirst {
                if starts.isEmpty || sawData { starts.append(at) }
                sawData = false
            } else {
                sawData = true
            }
            at += Int64(page.size)
        }
        guard starts.count > 1, starts.count <= limit else { return [] }
        return zip(starts, starts.dropFirst() + [length]).map { $0..<$1 }
    }

    /// The maximum number of links. A file with more links is not divided: it is played as FFmpeg reads it.
    private static let limit = 1000

    /// The maximum number of streams that begin at the start of the file. If more streams begin there, the file is not treated as a chain.
    private static let streamLimit = DemuxerPolicy.streamLimit

    /// Returns whether the last Ogg page of the file belongs to a stream that did not begin at the start of the file. Returns false if more than
    /// `streamLimit` streams begin there.
    private static func isChained(_ pages: inout OggPageReader, _ length: Int64) throws(PlaybackError) -> Bool {
        var serials: Set<UInt32> = [], at: Int64 = 0, count = 0
        while let page = try pages.page(at: at), page.isFirst {
            count += 1
            guard count <= streamLimit else { return false }
            serials.insert(page.serial)
            at += Int64(page.size)
        }
        guard !serials.isEmpty else { return false }
        // The largest Ogg page has 65,307 bytes, so the last page is among the file's last 131,072 bytes.
        var next = try pages.next(from: max(0, length - 65_536 * 2)), last: UInt32?
        while let offset = next {
            let page = try pages.page(at: offset)
            if let page { last = page.serial }
            next = try pages.next(from: offset + Int64(page?.size ?? 1))
        }
        return last.map { !serials.contains($0) } ?? false
    }
}
