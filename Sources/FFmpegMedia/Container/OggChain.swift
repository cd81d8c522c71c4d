import PlaybackEngine

/// The links of a chained Ogg file: complete streams one behind the other (RFC 3533, section 4). FFmpeg reads them as one whose timestamps begin
/// anew, and cannot position it.
enum OggChain {
    /// The bytes of each link; one where the file is not chained, none where it is not Ogg.
    static func links(_ source: any ByteSource, interrupt: Interrupt) throws(PlaybackError) -> [Range<Int64>] {
        guard source.isSeekable, !source.isRemote, let length = source.length, try isChained(source, length) else { return [] }
        var starts: [Int64] = [], at: Int64 = 0, sawData = false
        while at < length, starts.count <= limit {
            if interrupt.isRaised { throw .cancelled }
            guard let page = try page(source, at) else {
                // Damage: on to the next page.
                guard let next = try find(source, from: at + 1, length) else { break }
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

    /// More links than this are read as FFmpeg reads them.
    private static let limit = 1000

    /// Whether the last page belongs to a stream that did not begin at the file's start.
    private static func isChained(_ source: any ByteSource, _ length: Int64) throws(PlaybackError) -> Bool {
        var serials: Set<UInt32> = [], at: Int64 = 0
        while let page = try page(source, at), page.isFirst, serials.count < 64 {
            serials.insert(page.serial)
            at += Int64(page.size)
        }
        guard !serials.isEmpty else { return false }
        // The largest page has 65,307 bytes.
        var next = try find(source, from: max(0, length - 65_536 * 2), length), last: UInt32?
        while let place = next, let page = try page(source, place) {
            last = page.serial
            let behind = place + Int64(page.size)
            next = behind < length ? try find(source, from: behind, length) : nil
        }
        return last.map { !serials.contains($0) } ?? false
    }

    private static func page(_ source: any ByteSource, _ at: Int64) throws(PlaybackError) -> OggPage? {
        let head = try read(source, at, OggPage.headSize)
        guard head.count == OggPage.headSize else { return nil }
        return OggPage(try head + read(source, at + Int64(OggPage.headSize), Int(head[26])))
    }

    /// The next place that looks like a page.
    private static func find(_ source: any ByteSource, from start: Int64, _ length: Int64) throws(PlaybackError) -> Int64? {
        var at = start
        while at < length {
            let block = try read(source, at, 65_536)
            guard block.count >= 4 else { return nil }
            for index in 0..<(block.count - 3) where block[index] == 0x4F {
                if block[index + 1] == 0x67, block[index + 2] == 0x67, block[index + 3] == 0x53 { return at + Int64(index) }
            }
            at += Int64(block.count - 3)
        }
        return nil
    }

    private static func read(_ source: any ByteSource, _ at: Int64, _ count: Int) throws(PlaybackError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
        defer { buffer.deallocate() }
        try source.seek(to: at)
        var done = 0
        while done < count {
            let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done..<count]))
            if got == 0 { break }
            done += got
        }
        return Array(buffer[..<done])
    }
}
