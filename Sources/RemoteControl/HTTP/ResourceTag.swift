/// The entity tag of a resource that several clients edit: `"kind:version"` or `"kind:version.content"`, with its quotes.
///
/// A tag of one kind never matches another resource. `If-Match` compares the version alone, which changes with each edit. The content is a hash of
/// the document, which also changes if the server learns facts that no client has edited, such as a title.
struct ResourceTag: Sendable, Equatable {
    /// The first part of the tag.
    enum Kind: String, Sendable {
        case player, item, queue

        /// Whether the document has facts that no client edits.
        var hasContent: Bool { self != .player }

        /// The path at which a client reads the resource and its tag.
        var path: String {
            switch self {
            case .player: "/api/v1/player"
            case .item: "/api/v1/player/item"
            case .queue: "/api/v1/queue"
            }
        }
    }

    let kind: Kind
    /// The version, without dots, quotes and commas.
    let version: String
    /// The hash of the document; empty if the version changes with each change of the document, or if the document is not known.
    let content: String

    init(_ kind: Kind, version: String, content: String = "") {
        self.kind = kind
        self.version = version
        self.content = content
    }

    /// The tag with its quotes.
    var text: String { "\"" + kind.rawValue + ":" + version + (content.isEmpty ? "" : "." + content) + "\"" }

    /// Whether `tag`, without its quotes, has this kind and version; its content may be absent or differ.
    func isMatched(by tag: ArraySlice<UInt8>) -> Bool {
        let wanted = Array((kind.rawValue + ":" + version).utf8)
        guard tag.starts(with: wanted) else { return false }
        let rest = tag.dropFirst(wanted.count)
        return rest.isEmpty || (kind.hasContent && rest.first == UInt8(ascii: "."))
    }
}

/// Entity tags (RFC 9110, section 8.8.3). All entity tags of this server are strong, and are stored with their quotes.
enum EntityTag {
    /// Whether a value of `If-None-Match` contains `tag` or is `*`. The comparison is weak.
    static func noneMatchNames(_ field: String, _ tag: String) -> Bool { list(field).contains { $0 == "*" || $0 == tag || $0 == "W/" + tag } }

    /// The tag of a content: FNV-1a of 64 bits and the length, so the same bytes have the same tag after a restart.
    static func content(_ bytes: [UInt8]) -> String { "\"" + hash(bytes) + "\"" }

    static func hash(_ bytes: [UInt8]) -> String { String(fnv1a(bytes), radix: 16) + "-" + String(bytes.count, radix: 16) }

    static func fnv1a(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    /// The tag of a document's gzip form, for the tag of its plain form.
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
