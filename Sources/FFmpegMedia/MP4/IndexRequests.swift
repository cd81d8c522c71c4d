import PlaybackEngine

/// Plans the requests for the header of a remote MP4 file. The transferred bytes are kept. Some boxes between those that are read are not read
/// themselves: the audio before the header, and large sample tables (`SampleTables`) in it. Without a plan, each part between such boxes costs
/// several requests.
///
/// A small gap between two boxes is transferred, because that takes about as long as a request.
struct IndexRequests {
    private let io: IOContext
    /// The bytes that were announced last.
    private var announced: Range<Int64>

    /// The number of bytes that are requested from a box on whose length is not known: enough for the header of 72 hours as far as the sizes of the
    /// first samples.
    private static let headSize: Int64 = 256 << 10
    /// The size of a table that FFmpeg does not read whole, in bytes.
    private static let largeTable: Int64 = 256 << 10
    /// The size of the part of a large table that is read at the start: the fields before the entries, and a window of entries.
    private static let tableStart: Int64 = 12 + TableWindow.remoteSize

    /// Returns nil if the bytes cost no requests, or if they are not kept.
    init?(_ io: IOContext) {
        guard io.source.isRemote, io.source.isSeekable, io.source.keepsBytes else { return nil }
        self.io = io
        announced = 0..<RequestSizes.windows.lowerBound
    }

    /// Prepares reading the box at the byte `offset`. If its bytes are neither present nor announced, one request asks for the rest of the file, or
    /// for a part of it if the rest is large.
    mutating func willRead(boxAt offset: Int64) {
        guard let length = io.source.length, offset < length else { return }
        let header = offset..<min(offset + 16, length), rest = length - offset
        guard !isAnnounced(header), !io.source.isPresent(header) else { return }
        let start = (0...IndexRequests.largeTable).contains(offset - announced.upperBound) ? announced.lowerBound : offset
        announce(start..<(rest <= max(IndexRequests.headSize, io.source.readThroughLimit) ? length : offset + IndexRequests.headSize))
    }

    /// Prepares reading the box `type` with the content `content`, in the box `path`.
    mutating func found(_ type: String, _ content: Range<Int64>, in path: String) {
        switch (path, type) {
        // The rest of the response is the first audio, or what FFmpeg reads of the chapters. The connection can carry the next request then.
        case ("", "mdat"): finish(content.clamped(to: announced.lowerBound..<(announced.lowerBound + RequestSizes.windows.lowerBound)))
        // These tables are read whole. Most often, the sizes of the samples follow them.
        case ("stbl", "stts"), ("stbl", "stsc"): extend(for: content)
        case ("stbl", "stsz"), ("stbl", "stz2"), ("stbl", "stco"), ("stbl", "co64"):
            // The bytes after the table are read next, and by another request: so the start of the table is received first.
            guard content.upperBound - content.lowerBound > IndexRequests.largeTable, !announced.contains(content.upperBound) else { return }
            finish(content.lowerBound..<min(content.upperBound, content.lowerBound + IndexRequests.tableStart))
        default: break
        }
    }

    private mutating func announce(_ range: Range<Int64>) {
        announced = range
        io.source.setNeeded(range)
    }

    private func isAnnounced(_ range: Range<Int64>) -> Bool { range.clamped(to: announced) == range }

    /// Extends the announced bytes, so that they contain the table with the content `content` and the start of the following one.
    private mutating func extend(for content: Range<Int64>) {
        guard announced.contains(content.lowerBound), let length = io.source.length else { return }
        let end = min(content.upperBound + 8 + IndexRequests.tableStart, length, content.lowerBound + RequestSizes.windows.upperBound)
        if end > announced.upperBound, !io.source.isPresent(announced.upperBound..<end) { announce(announced.lowerBound..<end) }
    }

    /// Waits until the bytes of `range` are present.
    private mutating func finish(_ range: Range<Int64>) {
        guard !range.isEmpty, !io.source.isPresent(range) else { return }
        if !isAnnounced(range) { announce(announced.contains(range.lowerBound) ? announced.lowerBound..<range.upperBound : range) }
        do throws(PlaybackError) { _ = try io.bytes(range) } catch { io.note(error) }
    }
}
