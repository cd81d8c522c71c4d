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

    /// The first attached picture of a kind that is known and not too large; a front cover before all others.
    static func artwork(_ context: UnsafePointer<AVFormatContext>) -> Artwork? {
        var best: Artwork?
        for number in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[number], stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                let data = stream.pointee.attached_pic.data, stream.pointee.attached_pic.size > 0,
                stream.pointee.attached_pic.size <= artworkLimit
            else { continue }
            let bytes = UnsafeBufferPointer(start: data, count: Int(stream.pointee.attached_pic.size))
            guard let type = mimeType(of: bytes) else { continue }
            let isCover = value(of: "comment", in: stream.pointee.metadata)?.utf8.elementsEqual("Cover (front)".utf8) ?? false
            if best == nil || isCover { best = Artwork(mimeType: type, data: Array(bytes)) }
            if isCover { break }
        }
        return best
    }

    /// The size of a picture that is too large to be handed on.
    static func refusedArtwork(_ context: UnsafePointer<AVFormatContext>) -> Int? {
        for number in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[number], stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                stream.pointee.attached_pic.size > artworkLimit
            else { continue }
            return Int(stream.pointee.attached_pic.size)
        }
        return nil
    }

    /// The type of a picture by its first bytes; what the file claims is not believed.
    static func mimeType(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        func begins(_ signature: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count >= offset + signature.count && zip(bytes.dropFirst(offset), signature).allSatisfy { $0 == $1 }
        }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if begins([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) { return "image/gif" }
        if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) { return "image/webp" }
        if begins(Array("BM".utf8)), bytes.count > 26 { return "image/bmp" }
        if begins([0x49, 0x49, 0x2A, 0x00]) || begins([0x4D, 0x4D, 0x00, 0x2A]) { return "image/tiff" }
        if begins(Array("ftypavif".utf8), at: 4) { return "image/avif" }
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
