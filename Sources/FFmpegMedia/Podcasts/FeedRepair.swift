import PlaybackEngine

/// Repairs what many programs write into feeds, and podcast apps accept, although XML does not: an ampersand that begins no reference, such as one in
/// a URL, references to characters by HTML's names (`&nbsp;`), and control characters. No line is added or removed.
enum FeedRepair {
    /// The maximum number of repairs, each of which adds at most 5 bytes. The rest of the document then remains as it is.
    private static let limit = 1 << 16
    /// The greatest length of a reference between `&` and `;`, in bytes.
    private static let lengthLimit = 16
    /// The beginnings and the ends of sections in which an ampersand means itself.
    private static let sections = [(start: Array("<![CDATA[".utf8), end: Array("]]>".utf8)), (start: Array("<!--".utf8), end: Array("-->".utf8))]
    private static let predefined = ["amp", "lt", "gt", "quot", "apos"]

    /// Returns the document with the repairs. A document in UTF-16 is not repaired.
    static func repaired(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !bytes.prefix(2).contains(where: { $0 == 0 || $0 >= 0xFE }) else { return bytes }
        var result: [UInt8] = [], copied = bytes.startIndex, left = limit, end: [UInt8]?
        for at in bytes.indices {
            let byte = bytes[at]
            var repair: (bytes: [UInt8], length: Int)?
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
                repair = ([0x20], 1)
            } else if let closing = end {
                if byte == closing[0], bytes[at...].starts(with: closing) { end = nil }
            } else if byte == UInt8(ascii: "<") {
                end = sections.first { bytes[at...].starts(with: $0.start) }?.end
            } else if byte == UInt8(ascii: "&") {
                repair = ampersand(bytes[(at + 1)...].prefix(lengthLimit + 1))
            }
            guard let repair else { continue }
            guard left > 0 else { break }
            left -= 1
            result += bytes[copied..<at]
            result += repair.bytes
            copied = at + repair.length
        }
        return copied == bytes.startIndex ? bytes : (result + bytes[copied...])[...]
    }

    /// Returns what takes the place of an ampersand before `rest`, and the number of bytes that it replaces; nil if it begins a reference of XML.
    private static func ampersand(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        let plain: (bytes: [UInt8], length: Int) = (Array("&amp;".utf8), 1)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return plain }
        let name = rest[..<end]
        guard let number = ListText.number(ofReference: name), isCharacter(number) else { return plain }
        // XML knows five names, and the mark of a hexadecimal number in lower case only.
        let isKnown = name.first == UInt8(ascii: "#") ? !name.contains(UInt8(ascii: "X")) : predefined.contains { name.elementsEqual($0.utf8) }
        if isKnown { return nil }
        return (Array("&#\(number);".utf8), name.count + 2)
    }

    /// Whether XML allows the character with a number (XML 1.0, section 2.2).
    private static func isCharacter(_ number: UInt32) -> Bool {
        [9, 10, 13].contains(number) || number >= 0x20 && Unicode.Scalar(number) != nil && number & 0xFFFE != 0xFFFE
    }
}
