import HTTPClient
import Platform
public import PlaybackEngine

/// Recognises content that is not for FFmpeg, before FFmpeg examines it: playlists, podcast feeds, and content that is no medium, such as a web page.
/// FFmpeg would search all of it for audio, and some of it resembles audio by chance.
extension FFmpegOpener {
    /// The time within which a whole playlist must have arrived, in seconds.
    private static let listTime = 10.0
    /// The time within which a whole feed must have arrived, in seconds. A feed is up to four times as large as a playlist.
    private static let feedTime = 30.0
    /// The time within which a whole picture must have arrived, in seconds.
    private static let pictureTime = 15.0

    /// What the first bytes of a content show.
    enum Examined {
        /// A medium, which can be read from its start.
        case medium(any ByteSource)
        /// A playlist of HTTP Live Streaming: its content, and the address that has sent it.
        case stream([UInt8], AnsweringAddress.Value)
    }

    /// Examines the first bytes of a medium. If the content is a list of media or a feed, throws an error with its entries (`PlaybackError.list`). If
    /// it is no medium, throws an error that names its kind.
    ///
    /// - Parameter address: The address that has answered; nil for a file.
    func examined(
        _ bytes: any ByteSource, _ source: MediaSource, answeredBy address: AnsweringAddress.Value?, interrupt: Interrupt
    ) throws(PlaybackError) -> Examined {
        var head = ByteBlock()
        let hint = Self.hint(source, address)
        var kind = ContentKind.undecided
        while kind == .undecided {
            let isWhole = try !head.append(from: bytes)
            kind = ContentKind(head.bytes, isWhole: isWhole, hint: hint, isFeed: Self.isFeed(address))
            if isWhole { break }
        }
        switch kind {
        case .list(let format): return try list(format, bytes, head, source, address, interrupt)
        case .feed: throw try feed(bytes, head, source, address, interrupt)
        case .foreign(let name):
            throw PlaybackError(
                .unsupportedFormat, "\(address == nil ? "The file" : "The address") is \(name), not a medium.", reason: .notMedium)
        case .medium, .undecided: break
        }
        if !bytes.isRemote, bytes.isSeekable {
            try bytes.seek(to: 0)
            return .medium(bytes)
        }
        return .medium(PeekedSource(bytes, head: head.bytes))
    }

    /// Returns the playlist format that the name of a file states. For a remote medium, returns the format that the content type of the response
    /// states, or if it states none, the end of the URL's path. Returns nil if no playlist format is stated.
    private static func hint(_ source: MediaSource, _ address: AnsweringAddress.Value?) -> PlaylistFile.Format? {
        if case .file(let path) = source.location { return PlaylistFile.Format(name: path.text) }
        let type = contentType(address)
        let types: [(name: String, format: PlaylistFile.Format)] = [
            ("audio/x-mpegurl", .m3u), ("audio/mpegurl", .m3u), ("application/x-mpegurl", .m3u), ("audio/x-scpls", .pls),
        ]
        if let stated = types.first(where: { $0.name.utf8.elementsEqual(type) }) { return stated.format }
        let path = Array((address?.url ?? "").utf8.prefix { $0 != UInt8(ascii: "?") })
        return PlaylistFile.Format(name: String(decoding: path, as: UTF8.self))
    }

    /// Returns the content type of a response without its parameters, in lower case; empty if the response states none.
    private static func contentType(_ address: AnsweringAddress.Value?) -> [UInt8] {
        let type = address?.contentType?.utf8.prefix { $0 != UInt8(ascii: ";") }.prefix(64).map(\.asciiLowercased) ?? []
        return Array(type.withoutOuterBlanks)
    }

    /// Returns whether the content type of a response is that of a feed.
    private static func isFeed(_ address: AnsweringAddress.Value?) -> Bool {
        let type = contentType(address)
        return ["application/rss+xml", "application/atom+xml"].contains { $0.utf8.elementsEqual(type) }
    }

    /// Reads a playlist within the limits of its size and time. Returns it if a server describes a stream by it; otherwise throws an error with the
    /// playlist's entries (`PlaybackError.list`).
    private func list(
        _ format: PlaylistFile.Format, _ bytes: any ByteSource, _ head: ByteBlock, _ source: MediaSource, _ address: AnsweringAddress.Value?,
        _ interrupt: Interrupt
    ) throws(PlaybackError) -> Examined {
        let content = try content(
            bytes, head, "playlist", maximumSize: PlaylistFile.maximumSize, time: Self.listTime, interrupt)
        let file = PlaylistFile(content, format: format)
        let subject = address == nil ? "The file" : "The address"
        if file.isStream {
            if let address { return .stream(content, address) }
            throw PlaybackError(.unsupportedFormat, "The file describes an HTTP Live Streaming (HLS) stream, which only a server can send.")
        }
        if file.declaresType { throw PlaybackError(.unsupportedFormat, "The playlist declares a document type (DTD), which is not accepted.") }
        if file.isTooLong {
            throw PlaybackError(.unsupportedFormat, "The playlist has more than \(PlaylistFile.maximumCount) entries.")
        }
        if file.lines.isEmpty { throw PlaybackError(.unsupportedFormat, "The playlist (\(format.name)) has no entries.") }
        var error = PlaybackError(.unsupportedFormat, "\(subject) is a playlist (\(format.name)), not a medium.")
        error.list = MediaList(format: format, base: Self.base(source, address), lines: file.lines)
        throw error
    }

    /// Reads a feed within the limits of its size and time, and returns the error to throw, with the feed's entries (`PlaybackError.list`).
    private func feed(
        _ bytes: any ByteSource, _ head: ByteBlock, _ source: MediaSource, _ address: AnsweringAddress.Value?, _ interrupt: Interrupt
    ) throws(PlaybackError) -> PlaybackError {
        let content = try content(bytes, head, "feed", maximumSize: Feed.maximumSize, time: Self.feedTime, interrupt)
        do throws(FeedError) {
            let feed = try Feed(content)
            var error = PlaybackError(
                .unsupportedFormat, "\(address == nil ? "The file" : "The address") is a podcast feed (\(feed.format.name)), not a medium.")
            error.list = MediaList(format: nil, base: Self.base(source, address), lines: feed.lines)
            return error
        } catch {
            return PlaybackError(.unsupportedFormat, error.message, reason: error.isForeign ? .notMedium : nil)
        }
    }

    /// Reads a picture from a server. The call blocks until the server has responded, and then for at most about 15 s.
    ///
    /// Errors: those of a remote medium, `timedOut`, and `unsupportedFormat` if the content is no picture that can be shown, or is larger than a
    /// picture in a medium may be.
    public func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork {
        guard case .remote(let url) = source.location else { throw PlaybackError(.unsupportedScheme, "The picture is not at an http or https URL.") }
        let bytes = try RemoteMedium.open(url, source, retryPolicy: retryPolicy, answering: AnsweringAddress(), interrupt: interrupt)
        let content = try content(bytes, ByteBlock(), "picture", maximumSize: Metadata.artworkLimit, time: Self.pictureTime, interrupt)
        guard let picture = Metadata.artwork(content) else {
            throw PlaybackError(.unsupportedFormat, "The address is no picture that can be shown.", reason: .notMedium)
        }
        return picture
    }

    /// Reads the rest of a content after its first bytes `head`, and returns all of it. Throws if it exceeds `maximumSize` bytes, or takes longer
    /// than `time` seconds. `name` names the content in messages.
    private func content(
        _ bytes: any ByteSource, _ head: ByteBlock, _ name: String, maximumSize: Int, time: Double, _ interrupt: Interrupt
    ) throws(PlaybackError) -> [UInt8] {
        let clock = MonotonicClock()
        let deadline = clock.now + time
        var content = head
        bytes.setDeadline(deadline)
        while try content.append(from: bytes) {
            if interrupt.isRaised { throw .cancelled }
            guard clock.now < deadline else { throw PlaybackError(.timedOut, "The \(name) did not arrive within \(Int(time)) seconds.") }
            guard content.bytes.count <= maximumSize else {
                throw PlaybackError(.unsupportedFormat, "The \(name) has more than \(maximumSize >> 20) MiB.")
            }
        }
        return content.bytes
    }

    private static func base(_ source: MediaSource, _ address: AnsweringAddress.Value?) -> MediaList.Base {
        switch source.location {
        case .file(let path): .file(path)
        case .remote(let url): .remote(url: address?.url ?? url, isPublic: address?.isPublic ?? true)
        }
    }
}

/// The bytes that have been read from a source, block by block.
private struct ByteBlock {
    private(set) var bytes: [UInt8] = []

    /// Appends the next bytes of the source; returns false at its end.
    mutating func append(from source: any ByteSource) throws(PlaybackError) -> Bool {
        let block = try source.readBlock(bytes.isEmpty ? ContentKind.sampleSize : 16_384)
        bytes += block
        return !block.isEmpty
    }
}

/// A byte source whose first bytes have already been read, to recognise the content. These bytes are delivered from memory, so that they cost no
/// second request, and can be delivered even if the base source cannot seek.
final class PeekedSource: ByteSource {
    private let base: any ByteSource
    private let head: [UInt8]
    private(set) var offset: Int64 = 0

    /// - Parameters:
    ///   - base: The source from which `head` has been read, so that its offset is the end of `head`.
    ///   - head: The first bytes of the medium.
    init(_ base: any ByteSource, head: [UInt8]) {
        self.base = base
        self.head = head
    }

    var length: Int64? { base.length }
    var storedLength: Int64? { base.storedLength }
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { base.isSeekable }
    var isLive: Bool { base.isLive }
    func isPresent(_ range: Range<Int64>) -> Bool { base.isPresent(range) }
    var keepsBytes: Bool { base.keepsBytes }
    var readThroughLimit: Int64 { base.readThroughLimit }
    func finishOpening() { base.finishOpening() }
    func setNeeded(_ range: Range<Int64>?) { base.setNeeded(range) }
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { base.copyPresent(at: offset, into: buffer) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if offset < Int64(head.count) {
            let count = min(buffer.count, head.count - Int(offset))
            buffer.copyBytes(from: head[Int(offset)..<(Int(offset) + count)])
            offset += Int64(count)
            return count
        }
        if base.offset != offset { try base.seek(to: offset) }
        let count = try base.read(into: buffer)
        offset += Int64(count)
        return count
    }

    func seek(to offset: Int64) throws(PlaybackError) {
        let target = max(0, offset)
        // If the base source cannot seek, the first bytes can be delivered again only while no byte after them has been read.
        let isHead = target <= Int64(head.count) && base.offset == Int64(head.count)
        if !isHead || target > Int64(head.count) {
            if base.offset != target { try base.seek(to: target) }
        }
        self.offset = target
    }
}
