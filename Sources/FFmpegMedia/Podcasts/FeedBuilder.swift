import Platform
import PlaybackEngine

/// Collects the entries of a feed. A parser passes it the elements of the document, in their order.
struct FeedBuilder {
    /// The byte between the namespace and the local name of an element.
    static let separator: CChar = 0x0A
    /// The largest size of the text of an element that is kept, in bytes.
    static let maximumTextLength = 16 << 10

    /// The elements whose text is kept.
    private enum Field {
        case title, date, updated, duration, feedTitle, feedArtwork
    }

    private(set) var format: Feed.Format?
    private(set) var entries: [Feed.Entry] = []
    private(set) var title: String?
    /// Whether the root element has ended.
    private(set) var isComplete = false
    /// Whether the document ended before its root element did.
    var isTruncated: Bool { !isComplete }

    /// The namespace of the root element, which all elements of the feed's format have.
    private var core: [UInt8] = []
    private var depth = 0
    /// The entry that is being read; nil outside entries.
    private var entry: Feed.Entry?
    /// The date of the last change of the entry that is being read (Atom's `updated`), which replaces a missing date of publication.
    private var updated: Double?
    private var count = 0
    /// The pictures that the feed names: `apple` from Apple's element `image`, `own` from the element of the feed's format (RSS `image/url`, Atom
    /// `logo`).
    private var artwork: (apple: Feed.Picture?, own: Feed.Picture?)
    /// The picture of the feed: Apple's, otherwise the format's; nil if the feed names none.
    var picture: Feed.Picture? { artwork.apple ?? artwork.own }
    /// The element whose text is being read: its kind, its depth, and whether its text is HTML, so that character references are decoded. Nil if no
    /// text is read.
    private var capture: (field: Field, depth: Int, isHTML: Bool)?
    private var content: [UInt8] = []
    /// Whether the element that is being read is inside `image` of an RSS channel.
    private var isInImage = false
    /// The values of `xml:base` around the element that is being read, and the depth of each.
    private var bases: [(depth: Int, address: String)] = []

    /// The depth of an entry: `rss/channel/item`, `feed/entry`.
    private var entryDepth: Int { format == .atom ? 2 : 3 }

    // MARK: Elements

    mutating func start(_ name: FeedName, _ attributes: FeedAttributes) throws(FeedError) {
        depth += 1
        guard depth <= Feed.maximumDepth else { throw .tooDeep }
        if let base = attributes.value("http://www.w3.org/XML/1998/namespace\nbase") {
            guard bases.count < Feed.maximumBaseCount, base.count <= Feed.maximumBaseLength else { throw .tooManyBases }
            bases.append((depth, ListText.string(base)))
        }
        let isCore = name.namespace.elementsEqual(core)
        if depth == 1 {
            format = name.isNamed("rss") ? .rss : name.isNamed("feed") ? .atom : nil
            guard format != nil else { throw .notFeed }
            core = Array(name.namespace)
        } else if depth == entryDepth, isCore, name.isNamed(format == .atom ? "entry" : "item") {
            (entry, updated) = (Feed.Entry(), nil)
            count += 1
            entry?.number = count
        } else if entry != nil, depth == entryDepth + 1 {
            startEntry(name, attributes, isCore)
        } else if entry == nil {
            startFeed(name, attributes, isCore)
        }
    }

    /// Examines an element directly inside an entry.
    private mutating func startEntry(_ name: FeedName, _ attributes: FeedAttributes, _ isCore: Bool) {
        if isCore {
            if name.isNamed("title") { return begin(.title, isHTML: isHTML(attributes)) }
            if name.isNamed(format == .atom ? "published" : "pubDate") { return begin(.date) }
            if format == .rss, name.isNamed("enclosure") { return enclose(attributes.value("url"), attributes.value("type")) }
            guard format == .atom else { return }
            if name.isNamed("updated") { return begin(.updated) }
            if name.isNamed("link"), attributes.value("rel")?.elementsEqual("enclosure".utf8) ?? false {
                enclose(attributes.value("href"), attributes.value("type"))
            }
        } else if name.isApple {
            if name.isNamed("duration") { return begin(.duration) }
            if name.isNamed("image"), let picture = picture(at: attributes.value("href")) { entry?.picture = picture }
        }
    }

    /// Examines an element of the feed outside its entries.
    private mutating func startFeed(_ name: FeedName, _ attributes: FeedAttributes, _ isCore: Bool) {
        if depth == entryDepth {
            if isCore, name.isNamed("title") { return begin(.feedTitle, isHTML: isHTML(attributes)) }
            if isCore, format == .atom, name.isNamed("logo") { return begin(.feedArtwork) }
            if isCore, format == .rss, name.isNamed("image") { isInImage = true }
            if name.isApple, name.isNamed("image"), let picture = picture(at: attributes.value("href")) { artwork.apple = picture }
        } else if isInImage, depth == entryDepth + 1, isCore, name.isNamed("url") {
            begin(.feedArtwork)
        }
    }

    /// Whether a title is HTML. Atom states the type of a title. In RSS all titles count as HTML, because most programs write character references of
    /// HTML in them.
    private func isHTML(_ attributes: FeedAttributes) -> Bool { format == .rss || attributes.value("type")?.elementsEqual("html".utf8) ?? false }

    private func address(_ value: ArraySlice<UInt8>?) -> String? { value.flatMap { $0.isEmpty ? nil : ListText.string($0) } }

    /// Returns the picture whose address is `value`, with the values of `xml:base` around the present element; nil if `value` is nil or empty.
    private func picture(at value: ArraySlice<UInt8>?) -> Feed.Picture? {
        address(value).map { Feed.Picture(location: $0, bases: bases.map(\.address)) }
    }

    /// Keeps the first enclosure that may be audio or video.
    private mutating func enclose(_ location: ArraySlice<UInt8>?, _ type: ArraySlice<UInt8>?) {
        guard entry?.location.utf8.isEmpty ?? false, let location = address(location), Self.isMedium(type ?? []) else { return }
        entry?.location = location
        entry?.bases = bases.map(\.address)
    }

    /// Whether a content type may be that of audio or video. A missing type is accepted.
    private static func isMedium(_ type: ArraySlice<UInt8>) -> Bool {
        type.isEmpty
            || ["audio/", "video/", "application/ogg"].contains { kind in
                type.count >= kind.utf8.count && zip(type, kind.utf8).allSatisfy { $0.asciiLowercased == $1 }
            }
    }

    mutating func end() throws(FeedError) {
        if let capture, capture.depth == depth { finish(capture.field, isHTML: capture.isHTML) }
        while let base = bases.last, base.depth == depth { bases.removeLast() }
        if depth == entryDepth { isInImage = false }
        if depth == entryDepth, var entry {
            self.entry = nil
            entry.publicationDate = entry.publicationDate ?? updated
            if !entry.location.utf8.isEmpty {
                guard entries.count < Feed.maximumCount else { throw .tooManyEntries }
                entries.append(entry)
            }
        }
        depth -= 1
        if depth == 0 { isComplete = true }
    }

    // MARK: Text

    private mutating func begin(_ field: Field, isHTML: Bool = false) {
        capture = (field, depth, isHTML)
        content.removeAll(keepingCapacity: true)
    }

    mutating func text(_ bytes: UnsafeRawBufferPointer) {
        guard capture != nil, content.count < Self.maximumTextLength else { return }
        content += bytes.prefix(Self.maximumTextLength - content.count)
    }

    private mutating func finish(_ field: Field, isHTML: Bool) {
        capture = nil
        let value = ListText.trimmed(content[...])
        switch field {
        case .title: if case .none = entry?.title { entry?.title = Self.line(value, isHTML: isHTML) }
        case .feedTitle: title = title ?? Self.line(value, isHTML: isHTML)
        // An address that was cut off would be another address, so it is ignored.
        case .feedArtwork where content.count < Self.maximumTextLength: artwork.own = artwork.own ?? picture(at: value)
        case .feedArtwork: break
        case .date: if entry?.publicationDate == nil { entry?.publicationDate = Self.date(value) }
        case .updated: updated = updated ?? Self.date(value)
        case .duration: if entry?.duration == nil { entry?.duration = Self.duration(value) }
        }
    }

    /// Returns a title as one line: each run of white space and control characters becomes one space. A long title is cut off between characters. In
    /// a document of ISO 8859-1, which libexpat takes at its word, the control characters beyond ASCII are characters of windows-1252.
    private static func line(_ bytes: ArraySlice<UInt8>, isHTML: Bool) -> String? {
        let text = Windows1252.corrected(ListText.string(isHTML ? ListText.decoded(bytes)[...] : bytes))
        let words = text.utf8.split { $0 <= 0x20 || $0 == 0x7F }
        var line = Array(words.joined(separator: [0x20]))
        if line.count > Feed.maximumTitleLength {
            // A byte 10xxxxxx continues a character.
            var end = Feed.maximumTitleLength
            while end > 0, line[end] & 0xC0 == 0x80 { end -= 1 }
            line.removeLast(line.count - end)
        }
        return line.isEmpty ? nil : ListText.string(line[...])
    }

    /// Returns a date as seconds since 1970; nil if it has neither the form of RFC 5322 (RSS) nor that of RFC 3339 (Atom, and some feeds in RSS).
    private static func date(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard bytes.count <= 128 else { return nil }
        return RFC5322.seconds(bytes) ?? RFC3339.seconds(ListText.string(bytes))
    }

    /// Returns the seconds of a duration `seconds`, `minutes:seconds` or `hours:minutes:seconds`; nil if it has another form, or is 0.
    static func duration(_ bytes: ArraySlice<UInt8>) -> Double? {
        let parts = bytes.prefix(33).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard bytes.count <= 32, (1...3).contains(parts.count) else { return nil }
        var total = 0.0
        for part in parts {
            guard part.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }), let value = ListText.seconds(part) else { return nil }
            total = total * 60 + value
        }
        return total > 0 && total <= 1e9 ? total : nil
    }
}
