/// Validates UTF-8 text that is received in parts (RFC 3629, section 4). It fails at the first byte after which no text can be valid.
struct UTF8Progress {
    /// The number of bytes that the current Unicode scalar still needs (`missing`), and the permitted values of the next byte (`range`).
    private var missing = 0
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes validated so far end with a complete Unicode scalar.
    var isComplete: Bool { missing == 0 }

    /// Validates the next bytes of a text in UTF-8. Returns false if the received text cannot be UTF-8, regardless of later bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes {
            guard missing == 0 else {
                guard range.contains(byte) else { return false }
                missing -= 1
                range = 0x80...0xBF
                continue
            }
            switch byte {
            case 0x00...0x7F: break
            case 0xC2...0xDF: missing = 1
            case 0xE0: (missing, range) = (2, 0xA0...0xBF)
            case 0xE1...0xEC, 0xEE...0xEF: missing = 2
            // The range of the second byte excludes the encodings of surrogates.
            case 0xED: (missing, range) = (2, 0x80...0x9F)
            case 0xF0: (missing, range) = (3, 0x90...0xBF)
            case 0xF1...0xF3: missing = 3
            // The range of the second byte excludes values above U+10FFFF.
            case 0xF4: (missing, range) = (3, 0x80...0x8F)
            default: return false
            }
        }
        return true
    }
}
