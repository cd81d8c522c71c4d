/// Entity tags (RFC 9110, section 8.8.3). This server's tags are all strong, and are stored with their quotes.
enum EntityTag {
    /// Whether `If-None-Match` names `tag`: weak comparison, `*` names every tag.
    static func noneMatchNames(_ field: String, _ tag: String) -> Bool { list(field).contains { $0 == "*" || $0 == tag || $0 == "W/" + tag } }

    /// Whether `If-Match` names `tag`: strong comparison, `*` names every tag.
    static func matchNames(_ field: String, _ tag: String) -> Bool { matchNames(field) { $0 == tag } }

    /// Whether `If-Match` names a tag for which `isWanted` returns true.
    static func matchNames(_ field: String, _ isWanted: (Substring) -> Bool) -> Bool { list(field).contains { $0 == "*" || isWanted($0) } }

    /// Returns a tag computed from the content (FNV-1a, 64 bit, and the length). The same bytes have the same tag after a restart.
    static func content(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\"" + String(hash, radix: 16) + "-" + String(bytes.count, radix: 16) + "\""
    }

    private static func list(_ field: String) -> [Substring] {
        // This server's tags contain no comma, so a comma always separates.
        field.split(separator: ",").map { $0.drop { $0 == " " || $0 == "\t" } }.map { part in
            var part = part
            while part.last == " " || part.last == "\t" { part.removeLast() }
            return part
        }
    }
}
