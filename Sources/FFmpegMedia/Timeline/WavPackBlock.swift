/// The header of a WavPack block (WavPack 4 & 5 Binary File Format, section 2), which says where the block lies.
struct WavPackBlock {
    /// Bytes of the whole block.
    let size: Int64
    /// The number of its first sample.
    let index: Int64
    /// How many samples it holds; 0 for one of side information.
    let samples: Int64

    static let headerSize = 32
    /// No block is larger, bytes.
    static let largest: Int64 = 1 << 20

    /// Reads a header at the start of `bytes`; nil where there is none.
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
