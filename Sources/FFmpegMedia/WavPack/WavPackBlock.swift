/// The header of a WavPack block (WavPack 4 & 5 Binary File Format, section 2), which states the block's position.
struct WavPackBlock {
    /// Size of the whole block, in bytes.
    let size: Int64
    /// Number of the block's first sample.
    let index: Int64
    /// Number of samples in the block; 0 in a block of side information.
    let samples: Int64

    static let headerSize = 32
    /// Size of the largest block, in bytes.
    static let largest: Int64 = 1 << 20

    /// Reads the header at the start of `bytes`; nil if there is none.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= WavPackBlock.headerSize, bytes[0] == UInt8(ascii: "w"), bytes.starts(with: "wvpk".utf8) else { return nil }
        func number(_ at: Int, _ count: Int) -> Int64 { (0..<count).reduce(0) { $0 | Int64(bytes[at + $1]) << Int64(8 * $1) } }
        let version = number(8, 2), rest = number(4, 4)
        guard (0x402...0x410).contains(version), rest >= 24, rest <= WavPackBlock.largest else { return nil }
        size = rest + 8
        index = number(16, 4) | number(10, 1) << 32
        samples = number(20, 4)
        // The format's own limit.
        guard samples <= 131_072 * 8 else { return nil }
    }
}
