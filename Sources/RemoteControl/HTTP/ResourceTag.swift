/// The entity tag of a resource that clients can change: `"kind:version"` or `"kind:version.content"`, with its quotes.
///
/// A tag of one kind never matches another resource. `If-Match` compares the version alone, which changes with each edit. The content is a hash of
/// the document, which also changes if the server learns facts that no client has edited, such as a title.
struct ResourceTag: Sendable, Equatable {
    /// The first part of the tag.
    enum Kind: String, Sendable, CaseIterable {
        case player, item, queue, outputs
        case sleepTimer = "sleep-timer"
        /// No client can change a picture; it has a kind so that its tags are recognised in `If-Match`.
        case artwork

        /// The document has facts that no client edits.
        var hasContent: Bool {
            switch self {
            case .item, .queue, .outputs: true
            case .player, .sleepTimer, .artwork: false
            }
        }

        /// Where a client reads the resource and its tag.
        var path: String {
            switch self {
            case .player: "/api/v1/player"
            case .item: "/api/v1/player/item"
            case .queue: "/api/v1/queue"
            case .outputs: "/api/v1/outputs"
            case .sleepTimer: "/api/v1/sleep-timer"
            case .artwork: "/api/v1/items/{id}/artwork"
            }
        }
    }

    let kind: Kind
    /// Without dots, quotes and commas.
    let version: String
    /// Empty if the version changes with each change of the document, or if the document is not known.
    let content: String

    init(_ kind: Kind, version: String, content: String = "") {
        self.kind = kind
        self.version = version
        self.content = content
    }

    /// The version is the content, so that equal documents have equal tags.
    init(_ kind: Kind, document: [UInt8]) { self.init(kind, version: EntityTag.hash(document)) }

    /// With its quotes.
    var text: String { "\"" + kind.rawValue + ":" + version + (content.isEmpty ? "" : "." + content) + "\"" }

    /// `tag` is without its quotes; its content may be absent or differ.
    func isMatched(by tag: ArraySlice<UInt8>) -> Bool {
        let wanted = Array((kind.rawValue + ":" + version).utf8)
        guard tag.starts(with: wanted) else { return false }
        let rest = tag.dropFirst(wanted.count)
        return rest.isEmpty || (kind.hasContent && rest.first == UInt8(ascii: "."))
    }

    /// `tag` is without its quotes.
    static func kind(of tag: ArraySlice<UInt8>) -> Kind? {
        let name = tag.prefix { $0 != UInt8(ascii: ":") }
        guard name.count < tag.count else { return nil }
        return Kind.allCases.first { name.elementsEqual($0.rawValue.utf8) }
    }
}

/// Entity tags (RFC 9110, section 8.8.3). All entity tags of this server are strong, and are stored with their quotes.
enum EntityTag {
    /// Whether a value of `If-None-Match` contains `tag` or is `*`. The comparison is weak.
    static func noneMatchNames(_ field: String, _ tag: String) -> Bool { list(field).contains { $0 == "*" || $0 == tag || $0 == "W/" + tag } }

    /// FNV-1a of 64 bits and the length: the same bytes have the same tag after a restart.
    static func content(_ bytes: [UInt8]) -> String { "\"" + hash(bytes) + "\"" }

    static func hash(_ bytes: [UInt8]) -> String { String(fnv1a(bytes), radix: 16) + "-" + String(bytes.count, radix: 16) }

    static func fnv1a(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    /// The tag of the document's gzip form.
    static func compressed(_ tag: String) -> String { String(tag.dropLast()) + "-gz\"" }

    private static func list(_ field: String) -> [Substring] {
        // Tags of this server contain no comma.
        field.split(separator: ",").map { $0.drop { $0 == " " || $0 == "\t" } }.map { part in
            var part = part
            while part.last == " " || part.last == "\t" { part.removeLast() }
            return part
        }
    }
}
