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
