import Platform
import XMLReading

/// The episodes of a podcast: an RSS 2.0 feed (https://www.rssboard.org/rss-specification) with the elements of iTunes and Media RSS, or an Atom feed
/// (RFC 4287). Feeds of the world are seldom valid, so all but well-formed tags is optional.
struct PodcastFeed: XMLHandler {
    /// One `item` or `entry` while it is read.
    private struct Episode {
        var number: Int
        var enclosures: [(url: String, type: String)] = []
        /// The media of Media RSS, which count if there is no enclosure.
        var media: [(url: String, type: String)] = []
        var title: String?
        var alternativeTitle: String?
        var published: Double?
        var updated: Double?
        var duration: Double?
    }

    /// The elements whose texts are read.
    private enum Field { case title, alternativeTitle, published, updated, duration }

    private(set) var lines: [PlaylistFile.Line] = []
    private var base: String?
    private var depth = 0
    private var count = 0
    private var episode: (Episode, depth: Int)?
    private var field: (Field, depth: Int, isHTML: Bool)?
    private var content: [UInt8] = []

    /// The largest size of a text that is kept, in bytes.
    private static let maximumTextLength = 4 << 10
    /// The largest number of enclosures of an episode.
    private static let maximumEnclosureCount = 32

    /// Reads a feed.
    /// - Parameter text: The document in UTF-8.
    /// - Returns: The episodes, the newest first, and whether the feed declares entities, so that nothing of it is used.
    static func read(_ text: ArraySlice<UInt8>) -> (lines: [PlaylistFile.Line], declaresType: Bool) {
        var feed = PodcastFeed()
        // XML has no control characters except white space, but feeds have them.
        let clean = text.map { $0 < 0x20 && !ListText.isSpace($0) ? 0x20 : $0 == 0x0B || $0 == 0x0C ? 0x20 : $0 }
        let start = clean.firstIndex { !ListText.isSpace($0) } ?? clean.endIndex
        let outcome = clean.withUnsafeBufferPointer { XMLReader.read(UnsafeBufferPointer(rebasing: $0[start...]), into: &feed) }
        if outcome == .declaresType { return ([], true) }
        return (feed.newestFirst, false)
    }

    /// More lines are read than a playlist file may have, so that the excess is seen.
    var isFull: Bool { lines.count > PlaylistFile.maximumCount }

    /// The lines by their dates. One without a valid date stays after the line that it follows in the feed.
    private var newestFirst: [PlaylistFile.Line] {
        var last = lines.lazy.compactMap(\.date).first ?? 0
        let dated = lines.enumerated().map { index, line in
            last = line.date ?? last
            return (line: line, date: last, index: index)
        }
        return dated.sorted { $0.date != $1.date ? $0.date > $1.date : $0.index < $1.index }.map(\.line)
    }

    // MARK: Elements

    mutating func start(_ name: String, _ attributes: [(name: String, value: String)]) {
        depth += 1
        let (prefix, local) = Self.parts(name)
        func value(_ name: StaticString) -> String? {
            attributes.first { ListText.equals(Array($0.name.utf8)[...], name) }?.value
        }
        guard episode != nil else {
            if local == "item" || local == "entry" {
                count += 1
                episode = (Episode(number: count), depth)
            }
            if depth <= 2 || episode != nil, let base = value("xml:base") { self.base = base }
            return
        }
        switch (prefix, local) {
        case ("media", "content"):
            let medium = value("medium").map { $0 + "/" }
            if let url = value("url") { add(url, value("type") ?? medium ?? "", isMedia: true) }
        case ("", "enclosure"): if let url = value("url") { add(url, value("type") ?? "") }
        case (_, "link"):
            if let url = value("href"), let rel = value("rel"), ListText.equals(Array(rel.utf8)[...], "enclosure") { add(url, value("type") ?? "") }
        default: startField(prefix, local, isHTML: value("type").map { ListText.equals(Array($0.utf8)[...], "html") } ?? false)
        }
    }

    private mutating func startField(_ prefix: String, _ local: String, isHTML: Bool) {
        guard field == nil, depth == (episode?.depth ?? 0) + 1 else { return }
        let found: Field? =
            switch (prefix, local) {
            case ("", "title"): .title
            case ("itunes", "title"), ("media", "title"): .alternativeTitle
            case ("", "pubdate"), ("", "published"): .published
            case ("dc", "date"), ("", "updated"): .updated
            case ("itunes", "duration"): .duration
            default: nil
            }
        guard let found else { return }
        field = (found, depth, isHTML)
        content = []
    }

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard field != nil, content.count < Self.maximumTextLength else { return }
        content += bytes.prefix(Self.maximumTextLength - content.count)
    }

    mutating func end() {
        if let field, field.depth == depth {
            finish(field.0, isHTML: field.isHTML)
            self.field = nil
        }
        if let episode, episode.depth == depth {
            add(episode.0)
            self.episode = nil
        }
        depth -= 1
    }

    private mutating func finish(_ field: Field, isHTML: Bool) {
        switch field {
        case .title: episode?.0.title = Self.title(content, isHTML: isHTML)
        case .alternativeTitle: episode?.0.alternativeTitle = Self.title(content, isHTML: isHTML)
        case .published: episode?.0.published = FeedDate.seconds(content[...])
        case .updated: episode?.0.updated = FeedDate.seconds(content[...])
        case .duration: episode?.0.duration = TrackList.seconds(ListText.trimmed(content[...]))
        }
    }

    /// Returns a text in one line; nil if it is blank.
    private static func title(_ text: [UInt8], isHTML: Bool) -> String? {
        var plain = text
        if isHTML {
            plain = []
            var reader = TagReader(text[...])
            while let token = reader.next() { if case .text(let bytes) = token { plain += bytes } }
        }
        let words = plain.split { ListText.isSpace($0) }
        return words.isEmpty ? nil : ListText.string(Array(words.joined(separator: [0x20]))[...])
    }

    /// Returns the prefix of a name and the rest, in lower case. The prefix counts, not the namespace, because some feeds do not declare it. The
    /// prefix of Atom, and those of a whole document in it, are left out.
    private static func parts(_ name: String) -> (prefix: String, local: String) {
        let bytes = name.utf8.map(\.asciiLowercased)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return ("", ListText.string(bytes[...])) }
        let prefix = ListText.string(bytes[..<colon])
        return (["atom", "a", "ns0"].contains(prefix) ? "" : prefix, ListText.string(bytes[(colon + 1)...]))
    }

    // MARK: Enclosures

    private mutating func add(_ url: String, _ type: String, isMedia: Bool = false) {
        let address = ListText.string(ListText.trimmed(Array(url.utf8)[...]))
        guard !address.isEmpty, let count = episode.map({ $0.0.enclosures.count + $0.0.media.count }), count < Self.maximumEnclosureCount else {
            return
        }
        if isMedia { episode?.0.media.append((address, type)) } else { episode?.0.enclosures.append((address, type)) }
    }

    private mutating func add(_ episode: Episode) {
        guard let url = Self.best(episode.enclosures) ?? Self.best(episode.media) else { return }
        lines.append(
            PlaylistFile.Line(
                location: url, title: episode.title ?? episode.alternativeTitle, duration: episode.duration, number: episode.number,
                isReference: true, base: base, date: episode.published ?? episode.updated))
    }

    /// Returns the first enclosure with audio, otherwise with video, otherwise of an unknown type; nil if there is none. Pictures, texts and documents
    /// are no media.
    private static func best(_ enclosures: [(url: String, type: String)]) -> String? {
        let ranked = enclosures.compactMap { enclosure in rank(enclosure).map { (enclosure.url, rank: $0) } }
        return ranked.min { $0.rank < $1.rank }?.0
    }

    private static func rank(_ enclosure: (url: String, type: String)) -> Int? {
        let type = ListText.trimmed(Array(enclosure.type.utf8.prefix(128))[...])
        if ListText.begins(type, "audio/") || ListText.begins(type, "application/ogg") { return 0 }
        if ListText.begins(type, "video/") { return 1 }
        let others: [StaticString] = [
            "image/", "text/", "document/", "executable/", "application/pdf", "application/epub", "application/x-bittorrent",
        ]
        guard !others.contains(where: { ListText.begins(type, $0) }) else { return nil }
        let path = Array(enclosure.url.utf8).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let documents: [StaticString] = ["jpg", "jpeg", "png", "gif", "webp", "pdf", "html", "htm", "txt", "zip", "epub", "torrent", "srt", "vtt"]
        let ending = path.lastIndex(of: UInt8(ascii: ".")).map { path[($0 + 1)...] } ?? []
        return type.isEmpty && documents.contains { ListText.equals(ending, $0) } ? nil : 2
    }
}
