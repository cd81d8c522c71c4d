/// The header of a WavPack block (WavPack 4 & 5 Binary File Format, section 2), which states the block's position.
struct WavPackBlock {
    /// The size of the whole WavPack block, in bytes.
    let size: Int64
    /// The number of the WavPack block's first sample, counted from the start of the stream.
    let index: Int64
    /// The number of samples in the WavPack block; 0 in a block that contains only side information.
    let samples: Int64

    static let headerSize = 32
    /// The largest size that the header of a WavPack block may state, in bytes. The stated size does not include the first 8 bytes of the block.
    static let largest: Int64 = 1 << 20

    /// Reads a WavPack header at the start of `bytes`; nil if the bytes are not a header.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= WavPackBlock.headerSize, bytes[0] == UInt8(ascii: "w"), bytes.starts(with: "wvpk".utf8) else { return nil }
        func number(_ at: Int, _ count: Int) -> Int64 { (0..<count).reduce(0) { $0 | Int64(bytes[at + $1]) << Int64(8 * $1) } }
        let version = number(8, 2), rest = number(4, 4)
        guard (0x402...0x410).contains(version), rest >= 24, rest <= WavPackBlock.largest else { return nil }
        size = rest + 8
        index = number(16, 4) | number(10, 1) << 32
        samples = number(20, 4)
        // WavPack's format itself limits the number of samples in a block.
        guard samples <= 131_072 * 8 else { return nil }
    }
}
