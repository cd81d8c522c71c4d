/// Percent-encoding (RFC 3986, section 2.1). Malformed input gives nil, never a guess.
enum PercentEncoding {
    /// Returns the decoded bytes; nil if a `%` is not followed by two hexadecimal digits.
    static func decodedBytes(_ text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var pending = text.utf8.makeIterator()
        while let byte = pending.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = pending.next().flatMap(hexadecimalDigit), let low = pending.next().flatMap(hexadecimalDigit) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns the decoded text; nil if it is malformed, not UTF-8, or contains a NUL.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        guard let bytes = decodedBytes(text, plusIsSpace: plusIsSpace), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Encodes a path for a URL. Unreserved characters, `/` and a few others that are safe in a path are not encoded.
    static func encodedPath(_ path: String) -> String { encoded(path) { isUnreserved($0) || "/!$&'()*+,;=:@".utf8.contains($0) } }

    /// Makes a URL typed by a user ASCII: encodes other bytes and those that are invalid in a URL. Existing encoding is kept.
    static func asciiURL(_ url: String) -> String { encoded(url) { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) } }

    static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func encoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}
