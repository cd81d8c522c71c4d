import CFFmpeg
import Glibc
import PlaybackEngine

/// Tags, chapters and pictures. All of it is hostile text: only valid UTF-8 of a sane length gets through.
enum Metadata {
    /// The largest picture that is handed on, bytes.
    static let artworkLimit = 16 << 20
    private static let valueLimit = 64 << 10
    /// The longest key of a tag, bytes. Keys are compared, which costs Swift the square of their combining marks.
    private static let keyLimit = 256
    /// What a medium's tags may have in all, and its chapters' titles too, bytes.
    static let totalLimit = 1 << 20

    /// The container's tags, then those of the stream that the container does not have (Ogg keeps them there), and
    /// what of the loudness stands behind an MP3 and nowhere else.
    static func entries(_ demuxer: Demuxer) -> [MetadataEntry] {
        var found: [MetadataEntry] = [], keys: Set<String> = [], room = totalLimit
        for dictionary in [demuxer.context.pointee.metadata, demuxer.stream.pointee.metadata] {
            let entries = read(dictionary, room: &room).filter { !keys.contains($0.key) }
            keys.formUnion(entries.map(\.key))
            found += entries
        }
        if demuxer.name == "mp3" { found += ReplayGainTag.entries(demuxer.io).filter { !keys.contains($0.key) } }
        return found
    }

    /// The chapters in order.
    static func chapters(_ context: UnsafePointer<AVFormatContext>) -> [MediaChapter] {
        var room = totalLimit
        return (0..<min(Int(context.pointee.nb_chapters), 4096)).compactMap { number in
            guard let chapter = context.pointee.chapters[number] else { return nil }
            let unit = av_q2d(chapter.pointee.time_base)
            let start = Double(chapter.pointee.start) * unit
            let end = chapter.pointee.end == CFFmpeg_noTimestamp() ? start : Double(chapter.pointee.end) * unit
            guard start.isFinite, end.isFinite else { return nil }
            let title = value(of: "title", in: chapter.pointee.metadata).flatMap { take($0.utf8.count, from: &room) ? $0 : nil } ?? ""
            return MediaChapter(title: title, start: max(0, start), end: max(start, end))
        }
    }

    /// The first attached picture of a kind that is known and not too large, in bytes and in pixels; a front cover before all others.
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

    /// What is left out of the pictures, and why, in a sentence.
    static func refusedArtwork(_ context: UnsafePointer<AVFormatContext>) -> String? {
        for number in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[number], stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                let data = stream.pointee.attached_pic.data, stream.pointee.attached_pic.size > 0
            else { continue }
            let size = Int(stream.pointee.attached_pic.size)
            if size > artworkLimit { return "A picture of \(size) bytes is left out: more than \(artworkLimit) are not kept." }
            if let header = PictureHeader(UnsafeBufferPointer(start: data, count: size)), header.isTooLarge {
                return "A picture of \(header.width) × \(header.height) pixels is left out: more than \(PictureHeader.pixelLimit) are not shown."
            }
        }
        return nil
    }

    /// The tags of a dictionary, as long as there is room for them.
    private static func read(_ dictionary: OpaquePointer?, room: inout Int) -> [MetadataEntry] {
        var found: [MetadataEntry] = [], keys: Set<String> = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            entry = next
            guard found.count < 512, let key = text(next.pointee.key, limit: keyLimit)?.lowercased(),
                let value = text(next.pointee.value, limit: valueLimit), !key.isEmpty, !value.isEmpty, keys.insert(key).inserted,
                take(key.utf8.count + value.utf8.count, from: &room)
            else { continue }
            found.append(MetadataEntry(key: key, value: value))
        }
        return found
    }

    /// One tag, its key in any case.
    private static func value(of key: String, in dictionary: OpaquePointer?) -> String? {
        guard let entry = av_dict_get(dictionary, key, nil, 0), let value = text(entry.pointee.value, limit: valueLimit), !value.isEmpty else {
            return nil
        }
        return value
    }

    /// Takes so many bytes of what is left; false if there are not so many.
    private static func take(_ count: Int, from room: inout Int) -> Bool {
        guard count <= room else { return false }
        room -= count
        return true
    }

    private static func text(_ pointer: UnsafePointer<CChar>?, limit: Int) -> String? {
        guard let pointer else { return nil }
        let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, limit + 1))
        guard bytes.count <= limit else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
