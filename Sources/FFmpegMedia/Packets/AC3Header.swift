/// The header of a frame of AC-3 (ATSC A/52, 5.3.1) or E-AC-3 (ETSI TS 102 366, annex E).
enum AC3Header {
    /// Whether `bytes` begin with the sync word, in either byte order.
    static func isFrame(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count > 1 && (bytes[0] == 0x0B && bytes[1] == 0x77 || bytes[0] == 0x77 && bytes[1] == 0x0B)
    }

    /// Returns the sample rate of AC-3; nil if it is absent or invalid.
    static func sampleRate(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        // Bit stream identification 9 halves the rate, and 10 quarters it. Above them it is another format.
        guard bytes.count > 6, bytes[0] == 0x0B, bytes[1] == 0x77, bytes[4] >> 6 < 3, bytes[5] >> 3 <= 10 else { return nil }
        return [48_000, 44_100, 32_000][Int(bytes[4] >> 6)] >> max(0, Int(bytes[5] >> 3) - 8)
    }

    /// Returns the samples of an E-AC-3 packet, in blocks of 256; nil if it has no header.
    static func enhancedSamples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count > 5, bytes[0] == 0x0B, bytes[1] == 0x77 else { return nil }
        // A bit stream identification of 10 or less is AC-3.
        if bytes[5] >> 3 <= 10 { return 1536 }
        let blocks = bytes[4] >> 6 == 3 ? 6 : [1, 2, 3, 6][Int(bytes[4] >> 4 & 3)]
        return Int64(blocks * 256)
    }
}
