import CFFmpeg
import Glibc
import PlaybackEngine

/// Tags, chapters and pictures. All of it is hostile: only valid UTF-8 of limited length is accepted.
enum Metadata {
    /// The largest picture that is passed on, in bytes.
    static let artworkLimit = 16 << 20
    private static let valueLimit = 64 << 10
    /// Maximum size of a tag's key, in bytes. Comparing keys costs Swift the square of their combining marks.
    private static let keyLimit = 256
    /// Maximum size of all tags of a medium, in bytes, and of all titles of its chapters.
    static let totalLimit = 1 << 20

    /// Returns the container's tags, then those of the stream that the container does not have (Ogg keeps them there), then loudness tags that only
    /// the end of an MP3 file has.
    static func entries(_ demuxer: Demuxer) -> [MetadataEntry] {
        var found: [MetadataEntry] = [], keys: Set<String> = [], bytesLeft = totalLimit
        for dictionary in [demuxer.context.pointee.metadata, demuxer.stream.pointee.metadata] {
            let entries = read(dictionary, bytesLeft: &bytesLeft).filter { !keys.contains($0.key) }
            keys.formUnion(entries.map(\.key))
            found += entries
        }
        if demuxer.traits.container == .mpegAudio { found += ReplayGainTag.entries(demuxer.io).filter { !keys.contains($0.key) } }
        return found
    }

    /// Returns the chapters in order.
    static func chapters(_ context: UnsafePointer<AVFormatContext>) -> [MediaChapter] {
        var bytesLeft = totalLimit
        return (0..<min(Int(context.pointee.nb_chapters), 4096)).compactMap { number in
            guard let chapter = context.pointee.chapters[number] else { return nil }
            let unit = av_q2d(chapter.pointee.time_base)
            let start = Double(chapter.pointee.start) * unit
            let end = chapter.pointee.end == CFFmpeg_noTimestamp() ? start : Double(chapter.pointee.end) * unit
            guard start.isFinite, end.isFinite else { return nil }
            let title = value(of: "title", in: chapter.pointee.metadata).flatMap { take($0.utf8.count, from: &bytesLeft) ? $0 : nil } ?? ""
            return MediaChapter(title: title, start: max(0, start), end: max(start, end))
        }
    }

    /// Returns the first attached picture of a known kind that is not too large, in bytes and in pixels; a front cover comes before all others.
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

    /// Returns a sentence about a picture that is left out, with the reason; nil if there is none.
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

    /// Returns the tags of a dictionary, as long as `bytesLeft` has bytes for them.
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

    /// Returns the value of one tag; the case of the key does not matter.
    private static func value(of key: String, in dictionary: OpaquePointer?) -> String? {
        guard let entry = av_dict_get(dictionary, key, nil, 0), let value = text(entry.pointee.value, limit: valueLimit), !value.isEmpty else {
            return nil
        }
        return value
    }

    /// Takes `count` bytes from `bytesLeft`; false if not so many are left.
    private static func take(_ count: Int, from bytesLeft: inout Int) -> Bool {
        guard count <= bytesLeft else { return false }
        bytesLeft -= count
        return true
    }

    private static func text(_ pointer: UnsafePointer<CChar>?, limit: Int) -> String? {
        guard let pointer else { return nil }
        let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, limit + 1))
        guard bytes.count <= limit else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
