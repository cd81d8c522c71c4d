/// The entity tag of a resource that clients can change: `"kind:version"` or `"kind:version.content"`, with its quotes.
///
/// Each resource has its own kind, so that a tag of one resource never matches another resource. `If-Match` compares the version alone, which changes
/// with each edit. The content is a hash of the resource's document. It also changes if the server learns facts that no client has edited, for
/// example the title of an entry.
struct ResourceTag: Sendable, Equatable {
    /// The kind of a resource. The raw value of the kind is the first part of the tag.
    enum Kind: String, Sendable, CaseIterable {
        case player, item, queue, outputs
        case audioSession = "audio-session"
        case sleepTimer = "sleep-timer"
        /// A picture, which no client can change. Pictures have a kind too, so that their tags are recognised in `If-Match`.
        case artwork

        /// Whether tags of this kind may have a content, because the document has facts that no client edits.
        var hasContent: Bool {
            switch self {
            case .item, .queue, .outputs: true
            case .player, .audioSession, .sleepTimer, .artwork: false
            }
        }

        /// The path at which a client reads the resource and its tag.
        var path: String {
            switch self {
            case .player: "/api/v1/player"
            case .item: "/api/v1/player/item"
            case .queue: "/api/v1/queue"
            case .outputs: "/api/v1/outputs"
            case .audioSession: "/api/v1/audio-session"
            case .sleepTimer: "/api/v1/sleep-timer"
            case .artwork: "/api/v1/items/{id}/artwork"
            }
        }
    }

    let kind: Kind
    /// The part of the tag that `If-Match` compares, without dots, quotes and commas.
    let version: String
    /// The hash of the resource's JSON document; empty if the version alone changes with each change of the document, or if the document is not
    /// known.
    let content: String

    init(_ kind: Kind, version: String, content: String = "") {
        self.kind = kind
        self.version = version
        self.content = content
    }

    /// Creates the tag of a resource whose version is its content, so that equal documents have equal tags.
    init(_ kind: Kind, document: [UInt8]) { self.init(kind, version: EntityTag.hash(document)) }

    /// The tag as the value of the field `ETag`, with its quotes.
    var text: String { "\"" + kind.rawValue + ":" + version + (content.isEmpty ? "" : "." + content) + "\"" }

    /// Whether a tag in `If-Match`, without its quotes, has this version. The content of the tag may be absent or differ.
    func isMatched(by tag: ArraySlice<UInt8>) -> Bool {
        let wanted = Array((kind.rawValue + ":" + version).utf8)
        guard tag.starts(with: wanted) else { return false }
        let rest = tag.dropFirst(wanted.count)
        return rest.isEmpty || (kind.hasContent && rest.first == UInt8(ascii: "."))
    }

    /// Returns the kind of resource at the start of a tag without its quotes; nil if the tag does not begin with a kind.
    static func kind(of tag: ArraySlice<UInt8>) -> Kind? {
        let name = tag.prefix { $0 != UInt8(ascii: ":") }
        guard name.count < tag.count else { return nil }
        return Kind.allCases.first { name.elementsEqual($0.rawValue.utf8) }
    }
}
