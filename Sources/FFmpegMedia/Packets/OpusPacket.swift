/// Reads the length of an Opus packet (RFC 6716, section 3.1).
enum OpusPacket {
    /// Returns the number of samples in an Opus packet at 48 kHz; nil if the packet is malformed. The number is the frame size times the number of
    /// frames, and the packet's first byte (TOC) states both.
    static func samples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let toc = bytes.first else { return nil }
        let configuration = Int(toc >> 3)
        let frame =
            switch configuration {
            case 0..<12: [480, 960, 1920, 2880][configuration & 3]
            case 12..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        switch toc & 3 {
        case 0: return Int64(frame)
        case 1, 2: return Int64(2 * frame)
        default:
            guard bytes.count > 1 else { return nil }
            let count = Int(bytes[1] & 0x3F)
            return count > 0 && count * frame <= 5760 ? Int64(count * frame) : nil
        }
    }
}
