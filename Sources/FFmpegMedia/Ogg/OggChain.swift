import PlaybackEngine

/// Finds the links (consecutive complete streams) of a chained Ogg file (RFC 3533, section 4), for `ChainedStream`. FFmpeg would read them as one
/// stream whose times begin again at each link, and could not seek in it.
enum OggChain {
    /// Returns the byte ranges of the links. Empty if the file is not Ogg or not chained, has more than `limit` links, or is remote, not seekable or
    /// of unknown length.
    static func links(_ source: any ByteSource) throws(PlaybackError) -> [Range<Int64>] {
        guard source.isSeekable, !source.isRemote, let length = source.length else { return [] }
        guard try isChained(source, length: length) else { return [] }
        var pages = OggPageReader(source)
        var starts: [Int64] = [], at: Int64 = 0, sawData = false
        while at < length, starts.count <= limit {
            guard let page = try pages.page(at: at) else {
                // The bytes are damaged, so the search continues with the next page.
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
            source.noteProgress()
            at += Int64(page.size)
        }
        guard starts.count > 1, starts.count <= limit else { return [] }
        return zip(starts, starts.dropFirst() + [length]).map { $0..<$1 }
    }

    /// The greatest number of links; if there are more, the medium is played as FFmpeg reads it.
    private static let limit = 1000

    /// The greatest number of streams at the start of the file. A file with more does not count as chained.
    private static let streamLimit = DemuxerPolicy.streamLimit

    /// Returns whether the last page of the file belongs to a stream that does not begin at the start of the file. The byte offset of `source`
    /// changes.
    static func isChained(_ source: any ByteSource, length: Int64) throws(PlaybackError) -> Bool {
        var pages = OggPageReader(source)
        var serials: Set<UInt32> = [], at: Int64 = 0, count = 0
        while let page = try pages.page(at: at), page.isFirst {
            count += 1
            guard count <= streamLimit else { return false }
            serials.insert(page.serial)
            at += Int64(page.size)
        }
        guard !serials.isEmpty else { return false }
        // FFmpeg has read the last page too, so a remote medium needs no request for it. The bytes before it are read only if the end is damaged.
        for reach in [OggPage.largest, 2 * 65_536] {
            var next = try pages.next(from: max(0, length - Int64(reach))), last: UInt32?
            while let offset = next {
                let page = try pages.page(at: offset)
                if let page { last = page.serial }
                next = try pages.next(from: offset + Int64(page?.size ?? 1))
            }
            if let last { return !serials.contains(last) }
        }
        return false
    }
}
