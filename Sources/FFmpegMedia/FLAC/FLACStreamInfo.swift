import CFFmpeg

/// The metadata block STREAMINFO (RFC 9639, section 8.2): the stream's length and block sizes, in samples.
struct FLACStreamInfo {
    /// The number of samples in each block but the last, if all blocks have one size; otherwise in the largest block.
    private let blockSize: Int64
    /// The size of the largest frame, in bytes; 0 if unknown.
    let largestFrame: Int64

    /// Reads STREAMINFO from FFmpeg's parameters; nil if it is absent, or if its block size is invalid.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        blockSize = Int64(extra[2]) << 8 | Int64(extra[3])
        largestFrame = (7...9).reduce(0) { $0 << 8 | Int64(extra[$1]) }
        guard blockSize >= 16 else { return nil }
    }

    /// The number of frames that FFmpeg's parser reads before it returns the first, plus two.
    private static let parsedFrames = 12.0

    /// Returns the average size of `parsedFrames` frames together, in bytes, if the stream has `count` samples in `bytes` bytes.
    func parsedBytes(of bytes: Int64, samples count: Int64) -> Int64 {
        Int64(bounded: FLACStreamInfo.parsedFrames * Double(blockSize) * Double(bytes) / Double(max(1, count)))
    }

    /// Makes the information for a stream whose blocks have `blockSize` samples; nil if the size is invalid.
    init?(blockSize: Int64) {
        guard blockSize >= 16 else { return nil }
        (self.blockSize, largestFrame) = (blockSize, 0)
    }

    /// Returns the range of a frame's samples, counted from the start of the stream; nil if the number in the header is impossible.
    func range(of header: FLACFrameHeader) -> Range<Int64>? {
        // The number of a frame or a sample has at most 36 bits; a larger one comes from damage.
        guard header.number < 1 << 36 else { return nil }
        let start = header.hasFixedBlockSize ? Int64(header.number) * blockSize : Int64(header.number)
        return start..<(start + Int64(header.blockSize))
    }

    /// Returns the length of the stream in samples; nil if the encoder did not know it.
    static func sampleCount(_ parameters: UnsafePointer<AVCodecParameters>) -> Int64? {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        let count = (14...17).reduce(Int64(extra[13] & 0x0F)) { $0 << 8 | Int64(extra[$1]) }
        return count > 0 ? count : nil
    }
}
