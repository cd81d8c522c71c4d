/// Percent-encoding in URLs (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Decodes a text; nil if a `%` is not followed by two hexadecimal digits. With `plusIsSpace`, `+` becomes a space, as in HTML forms.
    package static func decodedBytes(_ text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var pending = text.utf8.makeIterator()
        while let byte = pending.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = pending.next()?.hexadecimalValue, let low = pending.next()?.hexadecimalValue else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// Decodes a text like `decodedBytes`; nil also if the result is not UTF-8 or contains a NUL.
    package static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        guard let bytes = decodedBytes(text, plusIsSpace: plusIsSpace), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Decodes a text; a `%` that is not followed by two hexadecimal digits stays.
    package static func lenientlyDecodedBytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Encodes a path, except unreserved characters, `/` and a few others that are safe in a path.
    package static func encodedPath(_ path: String) -> String { encodedPath(path.utf8) }
    /// Encodes a path whose bytes need not be text.
    package static func encodedPath(_ path: some Sequence<UInt8>) -> String {
        encoded(path) { isUnreserved($0) || "/!$&'()*+,;=:@".utf8.contains($0) }
    }

    /// Encodes a URL as a user has typed it: the bytes that a URL must not contain, such as those beyond ASCII. What is already encoded stays.
    package static func asciiURL(_ url: some Sequence<UInt8>) -> String {
        encoded(url) { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    }

    /// Percent-encodes all bytes of a text for which `isKept` returns false. If `isKept` returns false for `%`, the encoded text decodes to `text`.
    package static func encoded(_ text: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// True for bytes that stay in every part of a URL (RFC 3986, section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) }
}
