/// The header of a frame of AC-3 (ATSC A/52, 5.3.1) or E-AC-3 (ETSI TS 102 366, annex E).
enum AC3Header {
    /// Returns whether `bytes` begin with the sync word of an AC-3 frame, in either byte order.
    static func isFrame(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count > 1 && (bytes[0] == 0x0B && bytes[1] == 0x77 || bytes[0] == 0x77 && bytes[1] == 0x0B)
    }

    /// Returns the sample rate that the header of an AC-3 frame states, in hertz; nil if the header is absent or invalid.
    static func sampleRate(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        // In the header of AC-3, a bit stream identification of 9 halves the sample rate, and 10 quarters it. A bit stream identification above 10
        // means another format than AC-3.
        guard bytes.count > 6, bytes[0] == 0x0B, bytes[1] == 0x77, bytes[4] >> 6 < 3, bytes[5] >> 3 <= 10 else { return nil }
        return [48_000, 44_100, 32_000][Int(bytes[4] >> 6)] >> max(0, Int(bytes[5] >> 3) - 8)
    }

    /// Returns the number of samples in a packet of E-AC-3, which consists of blocks of 256 samples; nil if the packet has no header.
    static func enhancedSamples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count > 5, bytes[0] == 0x0B, bytes[1] == 0x77 else { return nil }
        // A bit stream identification of 10 or less means AC-3, whose frames have 1536 samples.
        if bytes[5] >> 3 <= 10 { return 1536 }
        let blocks = bytes[4] >> 6 == 3 ? 6 : [1, 2, 3, 6][Int(bytes[4] >> 4 & 3)]
        return Int64(blocks * 256)
    }
}
