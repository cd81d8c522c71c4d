/// Bytes of a medium, kept in pages by their offset. A page has consecutive bytes; between pages there may be gaps.
struct PageStore {
    private struct Page {
        /// The offset of the first byte of the page in the medium.
        var start: Int64
        var bytes: [UInt8]
        var end: Int64 { start + Int64(bytes.count) }
    }
    /// The size of a page, in bytes. The page with the number n is for bytes from offset `n * pageSize` on, but may contain only some of them.
    static let pageSize: Int64 = 64 << 10
    private var pages: [Int64: Page] = [:]

    /// The number of stored pages.
    var pageCount: Int { pages.count }
    /// The number of stored bytes.
    var byteCount: Int { pages.values.reduce(0) { $0 + $1.bytes.count } }

    /// Stores consecutive bytes from `offset` on. A page has no gaps: if the new bytes begin neither within nor directly after the stored bytes of
    /// their page, these stored bytes are discarded.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        for part in PageStore.parts(of: bytes, at: offset) { append(part.bytes, at: part.offset, toPage: part.page) }
    }

    /// Stores only those parts of consecutive bytes from `offset` on for which no stored byte must be discarded, and no more than `limit` pages are
    /// needed.
    mutating func fill(_ bytes: UnsafeRawBufferPointer, at offset: Int64, upTo limit: Int) {
        for part in PageStore.parts(of: bytes, at: offset) {
            let isFree = pages[part.page].map { $0.start <= part.offset && part.offset <= $0.end } ?? (pages.count < limit)
            if isFree { append(part.bytes, at: part.offset, toPage: part.page) }
        }
    }

    /// Divides consecutive bytes from `offset` on into those of each page.
    private static func parts(
        of bytes: UnsafeRawBufferPointer, at offset: Int64
    ) -> [(page: Int64, offset: Int64, bytes: Slice<UnsafeRawBufferPointer>)] {
        var parts: [(page: Int64, offset: Int64, bytes: Slice<UnsafeRawBufferPointer>)] = [], at = offset, rest = bytes[...]
        while !rest.isEmpty {
            let page = at / pageSize, count = Int(min(Int64(rest.count), (page + 1) * pageSize - at))
            parts.append((page, at, rest.prefix(count)))
            at += Int64(count)
            rest = rest.dropFirst(count)
        }
        return parts
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int64, toPage number: Int64) {
        guard let page = pages[number], page.start <= offset, offset <= page.end else {
            var fresh: [UInt8] = []
            fresh.reserveCapacity(Int((number + 1) * PageStore.pageSize - offset))
            fresh.append(contentsOf: bytes)
            pages[number] = Page(start: offset, bytes: fresh)
            return
        }
        let new = bytes.dropFirst(Int(page.end - offset))
        if !new.isEmpty { pages[number]?.bytes.append(contentsOf: new) }
    }

    /// Copies stored bytes from `offset` on, at most to the end of a page, and returns their number; 0 if the byte at `offset` is not stored.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let page = pages[offset / PageStore.pageSize], page.start <= offset, offset < page.end else { return 0 }
        let index = Int(offset - page.start)
        let count = min(buffer.count, page.bytes.count - index)
        page.bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[index..<(index + count)])) }
        return count
    }

    /// Copies stored bytes from `offset` on, until `buffer` is full or up to the first one that is not stored, and returns their number.
    func copy(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while done < buffer.count {
            let count = read(at: offset + Int64(done), into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Returns the offset of the first byte at or after `offset` that is not stored.
    func end(from offset: Int64) -> Int64 {
        var at = offset
        while let page = pages[at / PageStore.pageSize], page.start <= at, at < page.end {
            at = page.end
            if page.end % PageStore.pageSize != 0 { break }
        }
        return at
    }

    /// Discards pages until at most `limit` are left: first those before the page of the offset `reader`, then those after it; in both cases the
    /// farthest first.
    mutating func discard(downTo limit: Int, reader: Int64) {
        guard pages.count > limit else { return }
        let present = reader / PageStore.pageSize
        let before = pages.keys.filter { $0 < present }.sorted()
        let after = pages.keys.filter { $0 >= present }.sorted(by: >)
        for number in (before + after).prefix(pages.count - limit) { pages[number] = nil }
    }
}
