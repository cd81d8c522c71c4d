import Platform
import PlaybackEngine

/// The chapters and tags of a Matroska file that FFmpeg reads incompletely: it takes the chapters of all editions together and leaves out nested
/// ones, and it does not distinguish the tags of the album from those of the track.
///
/// The file is hostile data: elements, depth and text are limited, and a malformed element ends its list.
struct MatroskaFacts {
    private typealias Schema = MatroskaSchema
    private struct Element {
        let id: UInt32
        let content: Range<Int64>
    }
    private struct Tag {
        let level: UInt64
        let name: String
        let value: String
    }

    /// The chapters of the default edition in the order of the file, in seconds; an end that is not stated is the start. Nil if the file has none.
    private(set) var chapters: [MediaChapter]?
    private var tags: [Tag] = []
    /// The title of the whole file.
    private var title: String?
    private var elementsLeft = 128 << 10
    private var textLeft = Metadata.totalLimit

    private static let depthLimit = 16, tagLimit = 1024
    /// The greatest size of a text, in bytes.
    private static let textLimit = 4096
    /// The levels of tags (RFC 9559, section 5.1.8.1.1.1); that of the album is meant if none is stated.
    private static let album: UInt64 = 50, track: UInt64 = 30
    /// The names whose meaning depends on the level.
    private static let names: Set<String> = ["title", "artist", "album", "album_artist", "replaygain_gain", "replaygain_peak"]
    /// FFmpeg's names of other tags; the rest keep their names.
    private static let keys = ["lead_performer": "performer", "part_number": "track"]

    /// The names of tags without a target, which `tags` replace.
    static let untargeted: Set<String> = ["replaygain_gain", "replaygain_peak"]

    /// Reads an element of the segment; only chapters, tags and the general information are of interest.
    mutating func read(_ id: UInt32, _ content: Range<Int64>, _ reader: inout EBMLReader) throws(PlaybackError) {
        switch id {
        case Schema.chapters where chapters == nil: try readEditions(content, &reader)
        case Schema.tags: try readTags(content, &reader)
        case Schema.info:
            let parts = try children(content, &reader)
            title = try text(of: Schema.title, in: parts, &reader)
        default: break
        }
    }

    // MARK: Chapters

    /// Reads the default edition: the first visible one that is marked as default, otherwise the first visible one (RFC 9559, section 20.1).
    private mutating func readEditions(_ content: Range<Int64>, _ reader: inout EBMLReader) throws(PlaybackError) {
        var visible: [(isDefault: Bool, parts: [Element])] = []
        for edition in try children(content, &reader) where edition.id == Schema.edition {
            let parts = try children(edition.content, &reader)
            guard try number(of: Schema.editionHidden, in: parts, &reader) ?? 0 == 0 else { continue }
            let isDefault = try number(of: Schema.editionDefault, in: parts, &reader) ?? 0 != 0
            visible.append((isDefault, parts))
        }
        var found: [MediaChapter] = []
        if let edition = visible.first(where: { $0.isDefault }) ?? visible.first { try readAtoms(edition.parts, depth: 0, &found, &reader) }
        chapters = elementsLeft > 0 ? found : nil
    }

    /// Reads the chapters among elements, with the ones nested in them, which are hidden and disabled with them.
    private mutating func readAtoms(
        _ elements: [Element], depth: Int, _ found: inout [MediaChapter], _ reader: inout EBMLReader
    ) throws(PlaybackError) {
        guard depth < MatroskaFacts.depthLimit else { return }
        for atom in elements where atom.id == Schema.chapter && found.count < Metadata.chapterLimit {
            let parts = try children(atom.content, &reader)
            guard try number(of: Schema.chapterHidden, in: parts, &reader) ?? 0 == 0 else { continue }
            guard try number(of: Schema.chapterEnabled, in: parts, &reader) ?? 1 != 0 else { continue }
            let start = Double(try number(of: Schema.chapterStart, in: parts, &reader) ?? 0) / 1e9
            let end = try number(of: Schema.chapterEnd, in: parts, &reader).map { Double($0) / 1e9 } ?? start
            var title: String?
            if let display = parts.first(where: { $0.id == Schema.display }) {
                let fields = try children(display.content, &reader)
                title = try text(of: Schema.displayed, in: fields, &reader)
            }
            found.append(MediaChapter(title: title ?? "", start: start, end: max(start, end)))
            try readAtoms(parts, depth: depth + 1, &found, &reader)
        }
    }

    // MARK: Tags

    private mutating func readTags(_ content: Range<Int64>, _ reader: inout EBMLReader) throws(PlaybackError) {
        for tag in try children(content, &reader) where tag.id == Schema.tag {
            let parts = try children(tag.content, &reader)
            var targets: [Element] = []
            if let element = parts.first(where: { $0.id == Schema.targets }) { targets = try children(element.content, &reader) }
            // Tags of a chapter, an edition or an attached file are none of the medium.
            var isForeign = false
            for id in [Schema.tagEdition, Schema.tagChapter, Schema.tagFile] {
                if try number(of: id, in: targets, &reader) ?? 0 != 0 { isForeign = true }
            }
            guard !isForeign else { continue }
            let isOfTrack = try number(of: Schema.tagTrack, in: targets, &reader) ?? 0 != 0
            let level = try number(of: Schema.level, in: targets, &reader) ?? (isOfTrack ? MatroskaFacts.track : MatroskaFacts.album)
            for simple in parts where simple.id == Schema.simpleTag && tags.count < MatroskaFacts.tagLimit {
                let fields = try children(simple.content, &reader)
                guard let name = try text(of: Schema.tagName, in: fields, &reader)?.lowercased(), name.utf8.count <= Metadata.keyLimit,
                    let value = try text(of: Schema.tagText, in: fields, &reader), !value.isEmpty
                else { continue }
                tags.append(Tag(level: level, name: name, value: value))
            }
        }
    }

    /// The tags that depend on their target, and those with several values, by the names that they have in other containers. A tag with several values
    /// has several entries.
    var entries: [MetadataEntry] {
        let named = Dictionary(grouping: tags, by: \.name)
        /// Returns the values of a name at a level; without one, those at the level of the first.
        func values(_ name: String, _ level: UInt64? = nil) -> [String] {
            let all = named[name] ?? [], level = level ?? all.first?.level
            return all.filter { $0.level == level }.map(\.value)
        }
        func first(_ lists: [String]...) -> [String] { lists.first { !$0.isEmpty } ?? [] }
        let album = MatroskaFacts.album, track = MatroskaFacts.track
        let trackTitle = first(values("title", track), [title ?? ""].filter { !$0.isEmpty }), trackArtist = values("artist", track)
        // A file with tags of the album only is one that was tagged without regard to levels.
        var found: [(key: String, values: [String])] = [
            ("title", first(trackTitle, values("title"))), ("artist", first(trackArtist, values("artist"))),
            ("album", first(values("album"), trackTitle.isEmpty ? [] : values("title", album))),
            ("album_artist", first(values("album_artist"), trackArtist.isEmpty ? [] : values("artist", album))),
            ("replaygain_track_gain", values("replaygain_gain", track)), ("replaygain_track_peak", values("replaygain_peak", track)),
            ("replaygain_album_gain", values("replaygain_gain", album)), ("replaygain_album_peak", values("replaygain_peak", album)),
        ]
        // FFmpeg keeps the last one of several values.
        for (name, tags) in named.sorted(by: { $0.key < $1.key }) where tags.count > 1 && !MatroskaFacts.names.contains(name) {
            let several = first(values(name, track), values(name))
            if several.count > 1 { found.append((MatroskaFacts.keys[name] ?? name, several)) }
        }
        return found.flatMap { field in field.values.map { MetadataEntry(key: field.key, value: $0) } }
    }

    // MARK: Elements

    /// Returns the elements in a range, up to the first malformed one.
    private mutating func children(_ range: Range<Int64>, _ reader: inout EBMLReader) throws(PlaybackError) -> [Element] {
        var found: [Element] = [], at = range.lowerBound
        while at < range.upperBound, elementsLeft > 0, let head = try reader.head(at), let size = head.size {
            let start = at + head.length
            guard size <= range.upperBound - start else { break }
            elementsLeft -= 1
            found.append(Element(id: head.id, content: start..<(start + size)))
            at = start + size
        }
        return found
    }

    private func number(of id: UInt32, in elements: [Element], _ reader: inout EBMLReader) throws(PlaybackError) -> UInt64? {
        guard let element = elements.first(where: { $0.id == id }), element.content.count <= 8 else { return nil }
        return try reader.number(Int64(element.content.count), element.content.lowerBound)
    }

    /// Returns a text, which may be followed by zeros (RFC 8794, section 7.5); nil if there is none, or it is too long.
    private mutating func text(of id: UInt32, in elements: [Element], _ reader: inout EBMLReader) throws(PlaybackError) -> String? {
        guard let element = elements.first(where: { $0.id == id }) else { return nil }
        guard element.content.count <= min(MatroskaFacts.textLimit, textLeft) else { return nil }
        let bytes = try reader.bytes(element.content.lowerBound, element.content.count).prefix { $0 != 0 }
        textLeft -= bytes.count
        return String(validating: bytes, as: UTF8.self) ?? Windows1252.text(bytes)
    }
}
