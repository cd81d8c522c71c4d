import CFFmpeg
import Glibc
import Platform
import PlaybackEngine

/// Reads the tags, chapters and pictures of a medium. All of them are hostile data: texts have a limited length, and pictures must have a known
/// format and a limited size. A text that is not UTF-8 is windows-1252.
enum Metadata {
    /// The maximum size of an accepted picture in a medium, in bytes.
    static let artworkLimit = 16 << 20
    /// The maximum size of a tag's value, in bytes.
    static let valueLimit = 64 << 10
    /// The maximum size of a tag's key, in bytes. The time for comparing keys in Swift grows with the square of the number of combining marks.
    static let keyLimit = 256
    /// The maximum size of all tags of a medium together, in bytes, and of all titles of its chapters together.
    static let totalLimit = 1 << 20
    /// The maximum number of values of all tags of a medium together.
    private static let countLimit = 1024

    /// Returns the tags of the medium: FFmpeg's of the container, and then those of the stream (Ogg keeps its tags there), of which those are omitted
    /// that the container has too. Their values are those that TagLib has read, if it has (`TagFields`). A tag with several values has several
    /// entries, one after the other.
    static func entries(_ demuxer: Demuxer) -> [MetadataEntry] {
        var found: [MetadataEntry] = [], keys: Set<String> = [], bytesLeft = totalLimit
        for dictionary in [demuxer.context.pointee.metadata, demuxer.stream.pointee.metadata] {
            let entries = read(dictionary, bytesLeft: &bytesLeft).filter { !keys.contains($0.key) }
            keys.formUnion(entries.map(\.key))
            found += entries
        }
        if demuxer.traits.container == .matroska {
            let own = demuxer.matroska.entries, replaced = MatroskaFacts.untargeted.union(own.map(\.key))
            found = own + found.filter { !replaced.contains($0.key) }
        }
        var left = totalLimit
        return demuxer.fields.completing(found).prefix(countLimit).filter { take($0.key.utf8.count + $0.value.utf8.count, from: &left) }
    }

    /// The maximum number of chapters of a medium. A book of 72 hours may have 5,000.
    static let chapterLimit = 8192

    /// Returns the chapters of the medium, in order of time. One without an end after its start lasts until the next one begins, the last one until
    /// the end of the medium.
    static func chapters(_ demuxer: Demuxer, lasting duration: MediaDuration) -> [MediaChapter] {
        // Sorting is stable.
        var chapters = (demuxer.matroska.chapters ?? stated(demuxer.context)).sorted { $0.start < $1.start }
        var next = duration.seconds ?? 0
        for index in chapters.indices.reversed() {
            if index + 1 < chapters.count, chapters[index + 1].start > chapters[index].start { next = chapters[index + 1].start }
            if chapters[index].end <= chapters[index].start { chapters[index].end = max(chapters[index].start, next) }
        }
        return chapters
    }

    /// Returns the chapters as FFmpeg states them. One without an end after its start ends at its start.
    private static func stated(_ context: UnsafePointer<AVFormatContext>) -> [MediaChapter] {
        var bytesLeft = totalLimit
        return (0..<min(Int(context.pointee.nb_chapters), chapterLimit)).compactMap { number in
            guard let chapter = context.pointee.chapters[number]?.pointee else { return nil }
            let unit = av_q2d(chapter.time_base), start = max(0, Double(chapter.start) * unit)
            let hasEnd = chapter.end > chapter.start && !(chapter.end == latestEnd && chapter.time_base.den == 1000)
            let end = hasEnd ? Double(chapter.end) * unit : start
            guard start.isFinite, end.isFinite else { return nil }
            let title = value(of: "title", in: chapter.metadata).flatMap { take($0.utf8.count, from: &bytesLeft) ? $0 : nil } ?? ""
            return MediaChapter(title: title, start: start, end: max(start, end))
        }
    }
    /// The end that `TagScreen` gives a chapter of ID3v2 without one, in milliseconds. Some programs write it too.
    private static let latestEnd: Int64 = 0xFFFF_FFFF

    /// Returns the medium's first attached picture of a known format that is not too large in bytes and in pixels. A front cover is preferred to all
    /// other attached pictures. Returns nil if the medium has no suitable picture.
    static func artwork(_ context: UnsafePointer<AVFormatContext>) -> Artwork? {
        var best: Artwork?
        for number in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[number], stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                let data = stream.pointee.attached_pic.data, stream.pointee.attached_pic.size > 0,
                stream.pointee.attached_pic.size <= artworkLimit
            else { continue }
            let bytes = UnsafeBufferPointer(start: data, count: Int(stream.pointee.attached_pic.size))
            guard let header = PictureHeader(bytes), !header.isTooLarge else { continue }
            let isCover = value(of: "comment", in: stream.pointee.metadata)?.utf8.elementsEqual("Cover (front)".utf8) ?? false
            if best == nil || isCover { best = Artwork(mimeType: header.mimeType, data: Array(bytes)) }
            if isCover { break }
        }
        return best
    }

    /// Returns a picture with the MIME type that its bytes show; nil if the format is unknown, or if the picture is too large in bytes or in pixels.
    static func artwork(_ bytes: [UInt8]) -> Artwork? {
        guard bytes.count <= artworkLimit, let header = bytes.withUnsafeBufferPointer(PictureHeader.init), !header.isTooLarge else { return nil }
        return Artwork(mimeType: header.mimeType, data: bytes)
    }

    /// Returns a sentence about the medium's first picture that is discarded because of its size; nil if there is none.
    static func refusedArtwork(_ context: UnsafePointer<AVFormatContext>) -> String? {
        for number in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[number], stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                let data = stream.pointee.attached_pic.data, stream.pointee.attached_pic.size > 0
            else { continue }
            let size = Int(stream.pointee.attached_pic.size)
            if size > artworkLimit { return "A picture of \(size) bytes is discarded: the limit is \(artworkLimit) bytes." }
            if let header = PictureHeader(UnsafeBufferPointer(start: data, count: size)), header.isTooLarge {
                return "A picture of \(header.width) × \(header.height) pixels is discarded: the limit is \(PictureHeader.pixelLimit) pixels."
            }
        }
        return nil
    }

    /// Returns the tags of an FFmpeg dictionary with their keys in lower case, each key once, at most 512 tags. A tag is omitted if its key or value
    /// is invalid, empty or too long, or if it does not fit into the budget `bytesLeft`, which is reduced by the size of each returned tag.
    private static func read(_ dictionary: OpaquePointer?, bytesLeft: inout Int) -> [MetadataEntry] {
        var found: [MetadataEntry] = [], keys: Set<String> = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            entry = next
            guard found.count < 512, let key = text(next.pointee.key, limit: keyLimit)?.lowercased(),
                let value = text(next.pointee.value, limit: valueLimit), !key.isEmpty, !value.isEmpty, keys.insert(key).inserted,
                take(key.utf8.count + value.utf8.count, from: &bytesLeft)
            else { continue }
            found.append(MetadataEntry(key: key, value: value))
        }
        return found
    }

    /// Returns the value of the tag `key` in an FFmpeg dictionary, whatever the case of its letters; nil if there is none.
    private static func value(of key: String, in dictionary: OpaquePointer?) -> String? {
        guard let entry = av_dict_get(dictionary, key, nil, 0), let value = text(entry.pointee.value, limit: valueLimit), !value.isEmpty else {
            return nil
        }
        return value
    }

    /// Subtracts `count` bytes from the budget `bytesLeft` for tags; returns false, without a change, if fewer bytes are left.
    private static func take(_ count: Int, from bytesLeft: inout Int) -> Bool {
        guard count <= bytesLeft else { return false }
        bytesLeft -= count
        return true
    }

    /// Returns a text of FFmpeg or TagLib, which take ISO 8859-1 in ID3v2 at its word, and leave the bytes of Vorbis comments and APEv2 as they are;
    /// FFmpeg also those of ID3v1, RIFF and AIFF. Nil if it is longer than `limit` bytes.
    static func text(_ pointer: UnsafePointer<CChar>?, limit: Int) -> String? {
        guard let pointer else { return nil }
        let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, limit + 1))
        return bytes.count <= limit ? text(bytes) : nil
    }

    /// Returns a text in UTF-8, or else in windows-1252.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self).map(Windows1252.corrected) ?? Windows1252.text(bytes)
    }
}
