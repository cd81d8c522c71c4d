import CFFmpeg

/// STREAMINFO (RFC 9639, section 8.2): the stream's length and block sizes.
struct FLACStreamInfo {
    /// Of all blocks but the last, if fixed; otherwise the largest.
    private let blockSize: Int64
    /// In bytes; 0 if unknown.
    let largestFrame: Int64

    /// Nil if absent, or if the block size is invalid.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        blockSize = Int64(extra[2]) << 8 | Int64(extra[3])
        largestFrame = (7...9).reduce(0) { $0 << 8 | Int64(extra[$1]) }
        guard blockSize >= 16 else { return nil }
    }

    /// Before FFmpeg's parser returns the first, plus two.
    private static let parsedFrames = 12.0

    /// On the average, in a stream of `count` samples in `bytes` bytes.
    func parsedBytes(of bytes: Int64, samples count: Int64) -> Int64 {
        Int64(bounded: FLACStreamInfo.parsedFrames * Double(blockSize) * Double(bytes) / Double(max(1, count)))
    }

    /// Nil if the size is invalid.
    init?(blockSize: Int64) {
        guard blockSize >= 16 else { return nil }
        (self.blockSize, largestFrame) = (blockSize, 0)
    }

    /// From the start of the stream; nil if impossible.
    func range(of header: FLACFrameHeader) -> Range<Int64>? {
        // At most 36 bits; a larger one comes from damage.
        guard header.number < 1 << 36 else { return nil }
        let start = header.hasFixedBlockSize ? Int64(header.number) * blockSize : Int64(header.number)
        return start..<(start + Int64(header.blockSize))
    }

    /// In samples; nil if the encoder did not know it.
    static func sampleCount(_ parameters: UnsafePointer<AVCodecParameters>) -> Int64? {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        let count = (14...17).reduce(Int64(extra[13] & 0x0F)) { $0 << 8 | Int64(extra[$1]) }
        return count > 0 ? count : nil
    }
}
