import PlaybackEngine

/// Records the first and the last bytes of a remote medium while FFmpeg reads them, so that detecting a chained Ogg file usually costs no request.
final class OggEdgeSource: ByteSource {
    private let base: any ByteSource
    private var isRecording = true
    private var head: [UInt8] = []
    /// The last consecutive bytes that were read near the end of the medium, and their byte offset.
    private var tail: (start: Int64, bytes: [UInt8]) = (0, [])

    init(_ base: any ByteSource) { self.base = base }

    var offset: Int64 { base.offset }
    var length: Int64? { base.length }
    var isRemote: Bool { base.isRemote }
    var isLive: Bool { base.isLive }
    var isSeekable: Bool { base.isSeekable }
    func isPresent(_ range: Range<Int64>) -> Bool { base.isPresent(range) }
    var keepsBytes: Bool { base.keepsBytes }
    var readThroughLimit: Int64 { base.readThroughLimit }
    func setNeeded(_ range: Range<Int64>?) { base.setNeeded(range) }
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { base.copyPresent(at: offset, into: buffer) }

    func seek(to offset: Int64) throws(PlaybackError) { try base.seek(to: offset) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let at = base.offset
        let count = try base.read(into: buffer)
        if isRecording { note(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: at) }
        return count
    }

    private func note(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) {
        if offset == head.count, head.count < OggPage.largest {
            head += bytes
            if head.count >= 4, !head.starts(with: "OggS".utf8) { return stop() }
        }
        guard let length, offset + Int64(bytes.count) > length - Int64(OggPage.largest) else { return }
        if offset != tail.start + Int64(tail.bytes.count) || tail.bytes.count > 4 * OggPage.largest { tail = (offset, []) }
        tail.bytes += bytes
    }

    /// Returns whether the last Ogg page belongs to a stream that did not begin at the start of the medium, so that there are several links.
    func isChained() throws(PlaybackError) -> Bool {
        var serials: Set<UInt32> = [], rest = head[...], last: UInt32?
        while let page = OggPage(rest), page.isFirst {
            serials.insert(page.serial)
            rest = rest.dropFirst(page.size)
        }
        guard !serials.isEmpty else { return false }
        try readTail()
        rest = tail.bytes[...]
        while !rest.isEmpty {
            let page = OggPage(rest)
            if let page { last = page.serial }
            rest = rest.dropFirst(page?.size ?? OggPage.distance(in: rest) ?? rest.count)
        }
        return last.map { !serials.contains($0) } ?? false
    }

    /// Reads the end of the medium if FFmpeg has not read it, so that `read` keeps the last bytes in `tail`. Restores the byte offset afterwards.
    private func readTail() throws(PlaybackError) {
        guard let length, tail.start + Int64(tail.bytes.count) != length else { return }
        let before = base.offset
        try base.seek(to: max(0, length - Int64(OggPage.largest)))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { buffer.deallocate() }
        while try read(into: buffer) > 0 {}
        try base.seek(to: before)
    }

    /// Stops recording the first and last bytes of the medium, and discards the recorded bytes.
    func stop() {
        isRecording = false
        head = []
        tail = (0, [])
    }
}
