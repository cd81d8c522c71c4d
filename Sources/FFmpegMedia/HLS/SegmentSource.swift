import HTTPClient
import PlaybackEngine

/// The bytes of consecutive segments, after those of their map, as one stream that cannot seek. It ends with the run of its first segment, before a
/// segment that is missing, within a live segment whose rest the server no longer has, and after an hour of MP4, because FFmpeg keeps an entry for
/// each of its packets.
///
/// The ID3 tags at the beginning of a packed segment (RFC 8216, section 3.4) are left out, because they would count as damaged audio.
final class SegmentSource: ByteSource {
    private let feed: HLSFeed
    private let parts: RemoteParts
    private let end: HLSEnd
    /// The run of the first segment, and its media time.
    private let run: Int, start: Double
    /// The index of the segment that is opened next.
    private var next: Int
    private var isContinuation: Bool
    private var isOver = false
    /// The map or segment that is read; nil if the next segment is opened first.
    private var current: (any ByteSource)?
    /// The bytes of the current segment that were read to find its tags.
    private var pending: ArraySlice<UInt8> = []
    /// The resource that was opened last, for segments that are ranges of it.
    private var resource: (location: String, source: any ByteSource)?
    private var keys: [(location: String, bytes: [UInt8])] = []
    private(set) var offset: Int64 = 0

    private static let keyLimit = 8

    /// Opens the first segment, and its map if it has one. Throws the server's error if one of them is missing.
    ///
    /// - Parameters:
    ///   - end: Receives the index of the segment that follows the source.
    ///   - isContinuation: Whether the medium plays already, so that failed requests are repeated for longer.
    init(_ feed: HLSFeed, _ parts: RemoteParts, from index: Int, to end: HLSEnd, isContinuation: Bool) throws(PlaybackError) {
        guard let place = try feed.place(index, parts) else { throw .missingSegment }
        self.feed = feed
        self.parts = parts
        self.end = end
        self.isContinuation = isContinuation
        (run, start) = (place.run, place.start)
        next = index
        if let map = place.segment.map {
            let source = try open(map.location, map.range, map.key, number: 0)
            // The map is kept in memory, because its connection carries the segment.
            pending = try source.readBytes(SegmentSource.mapLimit + 1)[...]
            guard pending.count <= SegmentSource.mapLimit else { throw PlaybackError(.unsupportedFormat, "The header of the stream is too large.") }
        }
        try openSegment(place, isFirst: true)
        self.isContinuation = true
    }

    /// The greatest size of a map, in bytes.
    private static let mapLimit = 1 << 20

    var length: Int64? { nil }
    var isRemote: Bool { true }
    var isSeekable: Bool { false }
    var isLive: Bool { feed.isLive }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        while !isOver {
            let count: Int
            do throws(PlaybackError) { count = try readCurrent(into: buffer) } catch {
                guard feed.isLive, parts.isMissing(error) else { throw error }
                end.cut()
                break
            }
            if count > 0 {
                offset += Int64(count)
                return count
            }
            current = nil
            guard let place = try feed.place(next, parts), place.run == run, !place.segment.isGap else { break }
            if place.segment.map != nil, place.index > end.least, place.start - start >= feed.longest {
                end.pause()
                break
            }
            do throws(PlaybackError) { try openSegment(place, isFirst: false) } catch {
                guard parts.isMissing(error) else { throw error }
                break
            }
        }
        isOver = true
        return 0
    }

    private func readCurrent(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        if !pending.isEmpty {
            let count = min(buffer.count, pending.count)
            buffer.copyBytes(from: pending.prefix(count))
            pending.removeFirst(count)
            return count
        }
        return try current?.read(into: buffer) ?? 0
    }

    // MARK: Opening

    private func openSegment(_ place: HLSTimeline.Place, isFirst: Bool) throws(PlaybackError) {
        let segment = place.segment
        let source = try open(segment.location, segment.range, segment.key, number: segment.number)
        let head = try ID3Tags(source)
        if isFirst { end.begin(at: place.start, timestamp: head.timestamp) }
        pending += head.rest
        current = source
        next = place.index + 1
        end.setNext(next)
    }

    /// Opens a segment or a map, decrypted. `number` is the vector of a key without one.
    private func open(_ location: String, _ range: Range<Int64>?, _ key: HLSKey?, number: Int64) throws(PlaybackError) -> any ByteSource {
        guard key == nil || key?.method == .aes128 else {
            throw PlaybackError(.unsupportedFormat, "The stream is protected and cannot be decoded.")
        }
        let secret: [UInt8]? = if let key { try self.bytes(of: key) } else { nil }
        let source = try openResource(location, range)
        guard let key, let secret else { return source }
        return try DecryptedSource(source, key: secret, vector: key.vector ?? SegmentSource.vector(number))
    }

    /// Opens a resource or a range of it. If the range is of the resource that was opened last, the same request may contain it.
    private func openResource(_ location: String, _ range: Range<Int64>?) throws(PlaybackError) -> any ByteSource {
        if let range, let resource, resource.location.utf8.elementsEqual(location.utf8),
            resource.source.isSeekable || resource.source.offset == range.lowerBound
        {
            resource.source.setNeeded(range)
            return try RangeSource(resource.source, range)
        }
        // The connection of the last resource carries the next request.
        (resource, current) = (nil, nil)
        let source = try feed.open(location, range: range, parts, isContinuation: isContinuation)
        guard let range else { return source }
        resource = (location, source)
        return try RangeSource(source, range)
    }

    private func bytes(of key: HLSKey) throws(PlaybackError) -> [UInt8] {
        if let known = keys.first(where: { $0.location.utf8.elementsEqual(key.location.utf8) }) { return known.bytes }
        (resource, current) = (nil, nil)
        let bytes = try feed.open(key.location, range: nil, parts, isContinuation: isContinuation).readBytes(DecryptedSource.blockSize + 1)
        guard bytes.count == DecryptedSource.blockSize else {
            throw PlaybackError(.unsupportedFormat, "The key of the stream does not have 16 bytes.")
        }
        if keys.count >= SegmentSource.keyLimit { keys.removeFirst() }
        keys.append((key.location, bytes))
        return bytes
    }

    /// The vector of a segment that states none: its number (RFC 8216, section 5.2).
    private static func vector(_ number: Int64) -> [UInt8] {
        (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> (8 * (15 - Int64($0)))) }
    }
}

extension PlaybackError {
    /// The error of a segment that is no longer in the playlist.
    static let missingSegment = PlaybackError(.fileNotFound, "The server does not have this part of the stream.")
}

/// A range of the bytes of another source, read in sequence.
private final class RangeSource: ByteSource {
    private let base: any ByteSource
    private let range: Range<Int64>

    /// Moves `base` to the start of the range; if it cannot seek, by reading.
    init(_ base: any ByteSource, _ range: Range<Int64>) throws(PlaybackError) {
        self.base = base
        self.range = range
        if base.isSeekable, base.offset != range.lowerBound { try base.seek(to: range.lowerBound) }
        while base.offset < range.lowerBound {
            if try base.readBlock(Int(min(65_536, range.lowerBound - base.offset))).isEmpty { break }
        }
    }

    var length: Int64? { Int64(range.count) }
    var offset: Int64 { base.offset - range.lowerBound }
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { false }
    var isLive: Bool { false }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let count = min(Int64(buffer.count), range.upperBound - base.offset)
        guard count > 0 else { return 0 }
        return try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(count)]))
    }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
    }
}

/// The ID3 tags at the beginning of a segment of packed audio, and its timestamp (RFC 8216, section 3.4).
struct ID3Tags {
    /// The timestamp of the segment's first sample, in ticks of 90 kHz; nil if no tag states it.
    private(set) var timestamp: Int64?
    /// The bytes after the tags that were read to find their end.
    private(set) var rest: [UInt8] = []

    private static let headSize = 10
    /// The greatest number and size of tags, in bytes.
    private static let countLimit = 8, sizeLimit = 1 << 20
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

    init(_ source: any ByteSource) throws(PlaybackError) {
        for _ in 0..<ID3Tags.countLimit {
            rest = try source.readBytes(ID3Tags.headSize)
            guard rest.starts(with: "ID3".utf8), rest.count == ID3Tags.headSize, let size = ID3Tags.size(rest[6..<10]), size <= ID3Tags.sizeLimit
            else { return }
            let body = try source.readBytes(size)
            timestamp = timestamp ?? ID3Tags.timestamp(in: body)
            rest = []
        }
    }

    /// A number of four bytes with seven bits each; nil if another bit is set.
    private static func size(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.contains { $0 & 0x80 != 0 } ? nil : bytes.reduce(0) { $0 << 7 | Int($1) }
    }

    /// The number after the name of the owner of a private frame ("PRIV").
    private static func timestamp(in body: [UInt8]) -> Int64? {
        guard let start = body.indices.first(where: { body[$0] == owner[0] && body[$0...].starts(with: owner) }) else { return nil }
        let bytes = body[(start + owner.count)...].prefix(8)
        guard bytes.count == 8 else { return nil }
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // The number has 33 bits.
        return number < 1 << 33 ? Int64(number) : nil
    }
}
