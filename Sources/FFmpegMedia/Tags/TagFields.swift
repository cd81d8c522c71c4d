import CTagLib
import Platform
import PlaybackEngine

/// The fields of a medium's tags with all their values. TagLib reads them, because FFmpeg keeps one of several values, and one of several tags of a
/// file. The names are those of FFmpeg.
///
/// The tags have an order: a field of one tag fills the gap that the tags before it have left. APEv2 and ID3v1 at the end of a file come last, also
/// after the tags that only FFmpeg reads: ID3v2.2, some frames of ID3v2, and those of other containers.
///
/// Only bytes are read that cost no request: of a remote medium those that FFmpeg has read, which are kept while it is opened.
struct TagFields {
    /// The values, those of a field in their order and one after the other.
    private(set) var entries: [MetadataEntry] = []
    /// The names of items of APEv2 in place of which `entries` has others. FFmpeg does not change them.
    private(set) var renamed: Set<String> = []
    /// The names of fields that only the tags at the end of a file have, although it has others. They fill gaps of FFmpeg's.
    private var late: Set<String> = []
    private var bytesLeft = Metadata.totalLimit
    private let source: HeadSource
    /// Returns the bytes of a range; none if they cost a request.
    private let bytes: (Range<Int64>) -> [UInt8]

    /// Reads the tags of a medium that FFmpeg has just opened. Texts that cannot be read are left out.
    init(_ source: HeadSource, _ io: IOContext, _ container: Container, _ screen: TagScreen, items: Range<Int64>?) {
        self.source = source
        bytes = { source.isAtHand($0) ? io.peek($0) : [] }
        switch container {
        case .ogg: read(.ogg, in: TagBytes(length: source.length ?? 1 << 62, bytes))
        case .mp4: if let items { readItems(items) }
        case .matroska: break
        default:
            if let comments = screen.comments { read(.comments, at: comments.lowerBound, in: TagBytes(length: comments.upperBound, bytes)) }
            for frames in screen.texts { read(.id3v2, in: TagBytes(frames.tag(bytes))) }
            let known = Set(entries.map(\.key))
            readEnd()
            // In these media the tags at the end are those of the medium, if there is no ID3v2 tag at its start.
            let endsWithTags: [Container] = [.mpegAudio, .adts, .ape, .wavPack, .trueAudio, .tak, .other]
            if screen.end > 0 || !endsWithTags.contains(container) {
                late = Set(entries.map(\.key)).subtracting(known)
                renamed = []
            }
        }
    }

    /// Returns FFmpeg's tags in their order, with the values of these fields in place of FFmpeg's, and then the fields that FFmpeg has not read.
    func completing(_ tags: [MetadataEntry]) -> [MetadataEntry] {
        let values = Dictionary(grouping: entries, by: \.key), known = Set(tags.map(\.key))
        let present = tags.flatMap { tag in
            late.contains(tag.key) ? [tag] : values[tag.key] ?? (renamed.contains(tag.key) ? [] : [tag])
        }
        return present + entries.filter { !known.contains($0.key) }
    }

    // MARK: Tags

    /// Reads the tags at the end of a local file: APEv2, and ID3v1 after it.
    private mutating func readEnd() {
        guard !source.isRemote, source.isSeekable, let length = source.length else { return }
        let file = TagBytes(length: length, bytes), old = length - 128
        let hasOld = old >= 0 && bytes(old..<(old + 3)).elementsEqual("TAG".utf8)
        let footer = (hasOld ? old : length) - 32
        if footer >= 0, bytes(footer..<(footer + 8)).elementsEqual("APETAGEX".utf8) { read(.ape, at: footer, in: file) }
        if hasOld { add(TagFields.oldFields(bytes(old..<length))) }
    }

    /// Returns the fields of an ID3v1 tag. A text ends at a zero, so the track, after a zero in the comment, is no part of it.
    private static func oldFields(_ tag: [UInt8]) -> [(key: String, value: String)] {
        guard tag.count == 128 else { return [] }
        func text(_ range: Range<Int>) -> String { Metadata.text(ListText.trimmed(tag[range].prefix { $0 != 0 })) }
        let fields: [(key: String, value: String)] = [
            ("title", text(3..<33)), ("artist", text(33..<63)), ("album", text(63..<93)), ("date", text(93..<97)), ("comment", text(97..<127)),
            ("track", tag[125] == 0 && tag[126] != 0 ? String(tag[126]) : ""), ("genre", String(cString: CTagLib_genre(tag[127]))),
        ]
        return fields.filter { !$0.value.isEmpty }
    }

    /// Reads the items of an MP4 file. TagLib gets a file of each: of several items with one name it would keep the first one, and it would read the
    /// boxes of all fragments of the file. The others are left to FFmpeg: pictures, numbers and long texts.
    private mutating func readItems(_ range: Range<Int64>) {
        var at = range.lowerBound, left: Int64 = 128 << 10, found: [(key: String, value: String)] = []
        for _ in 0..<1024 {
            guard range.upperBound - at >= 8 else { break }
            let head = bytes(at..<(at + 8)), size = head.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            guard head.count == 8, size >= 8, size <= range.upperBound - at else { break }
            let item = at..<(at + size)
            at += size
            // The first letter of most names is © in ISO 8859-1.
            let name = Windows1252.text(head[4...])
            guard size <= 64 << 10, size <= left, name == "----" || TagFields.itemKeys[name] != nil else { continue }
            left -= size
            let list = TagFields.box("ilst", bytes(item))
            let movie = TagFields.box("moov", TagFields.box("udta", TagFields.box("meta", [0, 0, 0, 0] + list)))
            found += TagFields.values(.mp4, at: 0, in: TagBytes(movie))
        }
        add(found)
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let size = content.count + 8
        return (0..<4).map { UInt8(size >> (24 - 8 * $0) & 0xFF) } + Array(name.utf8) + content
    }

    private mutating func read(_ kind: Kind, at offset: Int64 = 0, in file: TagBytes) {
        add(TagFields.values(kind, at: offset, in: file))
        if kind == .ape { renamed = Set(file.values.map { $0.name.lowercased() }).intersection(TagFields.itemNames.keys) }
    }

    /// Adds the fields of one tag, except for those that the tags before it have.
    private mutating func add(_ found: [(key: String, value: String)]) {
        let known = Set(entries.map(\.key))
        var keys: [String] = [], values: [String: [MetadataEntry]] = [:]
        for (key, value) in found where !known.contains(key) {
            let size = key.utf8.count + value.utf8.count
            guard size <= bytesLeft else { continue }
            bytesLeft -= size
            if values[key] == nil { keys.append(key) }
            values[key, default: []].append(MetadataEntry(key: key, value: value))
        }
        for key in keys { entries += values[key] ?? [] }
    }

    // MARK: TagLib

    private enum Kind {
        case ogg, comments, id3v2, ape, mp4

        var raw: CTagLib_Kind {
            switch self {
            case .ogg: CTagLib_ogg
            case .comments: CTagLib_comments
            case .id3v2: CTagLib_id3v2
            case .ape: CTagLib_ape
            case .mp4: CTagLib_mp4
            }
        }
    }

    private static func values(_ kind: Kind, at offset: Int64, in file: TagBytes) -> [(key: String, value: String)] {
        file.read(kind.raw, at: offset)
        return file.values.compactMap { name, value -> (key: String, value: String)? in
            guard let key = TagFields.key(name, kind), !key.isEmpty else { return nil }
            return (key, value)
        }
    }

    /// Returns FFmpeg's name of a field; nil if the field is left to FFmpeg.
    private static func key(_ name: String, _ kind: Kind) -> String? {
        switch kind {
        case .id3v2:
            if name.utf8.starts(with: "TXXX:".utf8) { return String(name.dropFirst(5)).lowercased() }
            return name == "TDRL" ? nil : frameKeys[name] ?? name.lowercased()
        case .mp4:
            // The name of an item without a name of its own follows that of the company: `----:com.apple.iTunes:MOOD`.
            guard name.utf8.starts(with: "----:".utf8) else { return itemKeys[name] }
            return name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).first.map { $0.lowercased() }
        case .ape:
            let name = name.lowercased()
            return itemNames[name] ?? name
        case .ogg, .comments:
            let name = name.lowercased()
            // FFmpeg makes pictures and chapters of some comments.
            let isOther = ["description", "metadata_block_picture", "coverart", "coverartmime"].contains(name) || isChapter(name)
            return isOther ? nil : commentKeys[name] ?? name
        }
    }

    /// Whether a comment belongs to a chapter: `chapter001`, `chapter001name`.
    private static func isChapter(_ name: String) -> Bool {
        let rest = name.utf8.dropFirst(7)
        return name.utf8.starts(with: "chapter".utf8) && rest.count >= 3 && rest.prefix(3).allSatisfy(\.isASCIIDigit)
    }

    /// FFmpeg's names of frames; other frames keep their names. FFmpeg reads two kinds of dates as one, of which only the first one is read here.
    private static let frameKeys = [
        "TALB": "album", "TCMP": "compilation", "TCOM": "composer", "TCON": "genre", "TCOP": "copyright", "TDEN": "creation_time", "TDRC": "date",
        "TENC": "encoded_by", "TIT1": "grouping", "TIT2": "title", "TLAN": "language", "TPE1": "artist", "TPE2": "album_artist",
        "TPE3": "performer", "TPOS": "disc", "TPUB": "publisher", "TRCK": "track", "TSOA": "album-sort", "TSOP": "artist-sort",
        "TSOT": "title-sort", "TSSE": "encoder",
    ]
    /// FFmpeg's names of items in MP4; others are left to FFmpeg.
    private static let itemKeys = [
        "©ART": "artist", "©alb": "album", "©cmt": "comment", "©day": "date", "©gen": "genre", "©grp": "grouping", "©lyr": "lyrics",
        "©nam": "title", "©wrt": "composer", "aART": "album_artist", "cprt": "copyright", "desc": "description", "soaa": "sort_album_artist",
        "soal": "sort_album", "soar": "sort_artist", "soco": "sort_composer", "sonm": "sort_name",
    ]
    /// The names of items of APEv2 for which the other formats have other names.
    private static let itemNames = ["album artist": "album_artist", "albumartist": "album_artist", "year": "date"]
    /// FFmpeg's names of Vorbis comments; other comments keep their names.
    private static let commentKeys = ["albumartist": "album_artist", "discnumber": "disc", "tracknumber": "track"]
}

/// The bytes that TagLib reads, and the fields that it finds in them. One thread uses an object.
private final class TagBytes {
    private let length: Int64
    private let bytes: (Range<Int64>) -> [UInt8]
    private(set) var values: [(name: String, value: String)] = []

    /// - Parameter bytes: The function that returns the bytes of a range, or fewer.
    init(length: Int64, _ bytes: @escaping (Range<Int64>) -> [UInt8]) {
        self.length = length
        self.bytes = bytes
    }

    convenience init(_ file: [UInt8]) {
        self.init(length: Int64(file.count)) { Array(file.dropFirst(Int($0.lowerBound)).prefix($0.count)) }
    }

    /// Reads a tag, whose fields then are `values`.
    func read(_ kind: CTagLib_Kind, at offset: Int64) {
        values = []
        var medium = CTagLib_Medium()
        medium.context = Unmanaged.passUnretained(self).toOpaque()
        medium.length = length
        medium.read = { context, offset, buffer, count in
            guard let context, let buffer, offset >= 0, count > 0 else { return 0 }
            let (end, overflow) = offset.addingReportingOverflow(Int64(count))
            guard !overflow else { return 0 }
            let found = Unmanaged<TagBytes>.fromOpaque(context).takeUnretainedValue().bytes(offset..<end)
            found.withUnsafeBufferPointer { if let start = $0.baseAddress { buffer.update(from: start, count: min(count, $0.count)) } }
            return min(count, found.count)
        }
        medium.field = { context, name, value in
            guard let context, let name = Metadata.text(name, limit: Metadata.keyLimit),
                let value = Metadata.text(value, limit: Metadata.valueLimit), !value.isEmpty
            else { return }
            Unmanaged<TagBytes>.fromOpaque(context).takeUnretainedValue().values.append((name, value))
        }
        withExtendedLifetime(self) { withUnsafePointer(to: medium) { CTagLib_read(kind, offset, $0) } }
    }
}
