import HTTPClient
import PlaybackEngine

/// Plans the requests for the header of a remote MP4 file, so that few are needed. Some boxes are skipped while the header is read: the audio before
/// the header, and large sample tables in it (`SampleTables`). Without a plan, each part between two skipped boxes would cost several requests. The
/// source keeps the bytes that it has transferred.
///
/// A small gap between two boxes that are read is transferred, because that takes about as long as another request.
struct IndexRequests {
    private let io: IOContext
    /// The bytes that were last announced to the source as needed (`ByteSource.setNeeded`).
    private var announced: Range<Int64>

    /// The number of bytes that are requested from the start of a box on, if the length of the header is not known. In the header of a medium of 72
    /// hours, these bytes contain the sizes of the first samples.
    private static let headSize: Int64 = 256 << 10
    /// The size in bytes above which a table is not read whole, and the largest gap that is transferred.
    private static let largeTable: Int64 = 256 << 10
    /// The size of the start of a large table, which is read with the header: the fields before the entries, and one window of entries.
    private static let tableStart: Int64 = 12 + TableWindow.remoteSize

    /// Returns nil if the source needs no requests, because it is local or cannot seek, or if it does not keep bytes.
    init?(_ io: IOContext) {
        guard io.source.isRemote, io.source.isSeekable, io.source.keepsBytes else { return nil }
        self.io = io
        announced = 0..<RequestSizes.windows.lowerBound
    }

    /// Announces the box at the byte `offset`, if its bytes are neither present nor announced: with the rest of the file, or with only a part of the
    /// rest if the rest is large.
    mutating func willRead(boxAt offset: Int64) {
        guard let length = io.source.length, offset < length else { return }
        let header = offset..<min(offset + 16, length), rest = length - offset
        guard !isAnnounced(header), !io.source.isPresent(header) else { return }
        let start = (0...IndexRequests.largeTable).contains(offset - announced.upperBound) ? announced.lowerBound : offset
        announce(start..<(rest <= max(IndexRequests.headSize, io.source.readThroughLimit) ? length : offset + IndexRequests.headSize))
    }

    /// Announces or awaits the bytes that are needed for the box `type` in the box `path`. `content` is the byte range of its content.
    mutating func found(_ type: String, _ content: Range<Int64>, in path: String) {
        switch (path, type) {
        // The rest of the response is awaited, because the connection can carry the next request only after it. The rest has the first audio, or the
        // bytes that FFmpeg reads of the chapters.
        case ("", "mdat"): finish(content.clamped(to: announced.lowerBound..<(announced.lowerBound + RequestSizes.windows.lowerBound)))
        // These tables are read whole. In most files, the table of sizes follows them.
        case ("stbl", "stts"), ("stbl", "stsc"): extend(for: content)
        case ("stbl", "stsz"), ("stbl", "stz2"), ("stbl", "stco"), ("stbl", "co64"):
            // The bytes after the table are read next, by another request. So the start of the table must be received before that request.
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

    /// Extends the announced bytes to the table with the content `content`, and to the start of the following table.
    private mutating func extend(for content: Range<Int64>) {
        guard announced.contains(content.lowerBound), let length = io.source.length else { return }
        let end = min(content.upperBound + 8 + IndexRequests.tableStart, length, content.lowerBound + RequestSizes.windows.upperBound)
        if end > announced.upperBound, !io.source.isPresent(announced.upperBound..<end) { announce(announced.lowerBound..<end) }
    }

    /// Waits until the bytes of `range` are present; announces them if necessary.
    private mutating func finish(_ range: Range<Int64>) {
        guard !range.isEmpty, !io.source.isPresent(range) else { return }
        if !isAnnounced(range) { announce(announced.contains(range.lowerBound) ? announced.lowerBound..<range.upperBound : range) }
        do throws(PlaybackError) { _ = try io.bytes(range) } catch { io.note(error) }
    }
}
