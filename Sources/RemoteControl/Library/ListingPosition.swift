import Platform

/// A position in a listing: after one entry. It names the entry by its bytes, not by its number, so entries that come and go move no other entry to
/// another page. The entry need not exist any more.
struct ListingPosition: Sendable, Equatable {
    /// The largest length of a name in a position, in bytes. Names in the file system are shorter.
    private static let maximumLength = 1024

    /// The kind of the entry before the position: folders precede files.
    enum Kind: String, Sendable { case folder, file, root }

    var kind: Kind
    /// The name of the entry; for a root its number in the list of the roots.
    var name: [UInt8]

    init(_ kind: Kind, _ name: [UInt8]) {
        self.kind = kind
        self.name = name
    }

    /// Reads the position from the text that `text` has returned; nil for another text.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count <= 8, let kind = Kind(rawValue: String(decoding: parts[0], as: UTF8.self)),
            let name = PercentEncoding.decodedBytes(Substring(parts[1])), (1...Self.maximumLength).contains(name.count)
        else { return nil }
        self.init(kind, name)
    }

    /// The position as clients send it back, in ASCII.
    var text: String { kind.rawValue + "/" + PercentEncoding.encoded(name, keeping: PercentEncoding.isUnreserved) }
}
