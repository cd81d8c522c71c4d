/// The header of a FLAC frame (RFC 9639, section 9.1), which says where the frame lies.
struct FLACFrameHeader {
    let blockSize: Int
    /// The number of the first sample where the block size varies, of the frame where it is fixed.
    let number: UInt64
    let hasFixedBlockSize: Bool

    /// Reads a header at the start of `bytes`; nil where there is none.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 6, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8 else { return nil }
        hasFixedBlockSize = bytes[1] & 1 == 0
        var at = 4
        // A number coded as UTF-8 codes characters, up to 7 bytes long.
        let lead = bytes[at]
        let ones = (~lead).leadingZeroBitCount
        guard ones != 1, ones < 8 else { return nil }
        let following = max(0, ones - 1)
        guard bytes.count > at + following + 2 else { return nil }
        var value = ones == 0 ? UInt64(lead) : UInt64(lead) & ((1 << UInt64(7 - ones)) - 1)
        for index in 0..<following {
            let byte = bytes[at + 1 + index]
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt64(byte & 0x3F)
        }
        number = value
        at += 1 + following
        switch bytes[2] >> 4 {
        case 1: blockSize = 192
        case let code where (2...5).contains(code): blockSize = 576 << Int(code - 2)
        case 6: blockSize = Int(bytes[at]) + 1
        case 7: blockSize = (Int(bytes[at]) << 8 | Int(bytes[at + 1])) + 1
        case let code where code >= 8: blockSize = 256 << Int(code - 8)
        default: return nil
        }
    }
}
