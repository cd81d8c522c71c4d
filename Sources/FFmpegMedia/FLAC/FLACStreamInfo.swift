import CFFmpeg

/// The first metadata block of a FLAC stream, STREAMINFO (RFC 9639, section 8.2), which states the stream's length and block sizes.
struct FLACStreamInfo {
    /// The largest number of samples in a block. If the blocks have a fixed size, all but the last one have this size.
    private let blockSize: Int64
    /// The size of the largest FLAC frame, in bytes; 0 if it is unknown.
    let largestFrame: Int64

    /// Reads STREAMINFO from FFmpeg's codec parameters; nil if it is absent, or if its block size is invalid.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        blockSize = Int64(extra[2]) << 8 | Int64(extra[3])
        largestFrame = (7...9).reduce(0) { $0 << 8 | Int64(extra[$1]) }
        guard blockSize >= 16 else { return nil }
    }

    /// The number of consecutive frames that FFmpeg's parser must receive before it returns the first of them, plus two.
    private static let parsedFrames = 12.0

    /// Returns the number of bytes that `parsedFrames` frames have on the average in a stream of `count` samples in `bytes` bytes.
    func parsedBytes(of bytes: Int64, samples count: Int64) -> Int64 {
        Int64(bounded: FLACStreamInfo.parsedFrames * Double(blockSize) * Double(bytes) / Double(max(1, count)))
    }

    /// Makes the facts of a stream with blocks of `blockSize` samples; nil if this size is invalid.
    init?(blockSize: Int64) {
        guard blockSize >= 16 else { return nil }
        (self.blockSize, largestFrame) = (blockSize, 0)
    }

    /// Returns the positions of the samples in a FLAC frame, counted from the start of the stream; nil if the number in its header is impossible.
    func range(of header: FLACFrameHeader) -> Range<Int64>? {
        // The numbers in FLAC have at most 36 bits; a larger one comes from damage.
        guard header.number < 1 << 36 else { return nil }
        let start = header.hasFixedBlockSize ? Int64(header.number) * blockSize : Int64(header.number)
        return start..<(start + Int64(header.blockSize))
    }

    /// Returns the length that STREAMINFO states, in samples; nil if it states none, because the encoder did not know the length.
    static func sampleCount(_ parameters: UnsafePointer<AVCodecParameters>) -> Int64? {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        let count = (14...17).reduce(Int64(extra[13] & 0x0F)) { $0 << 8 | Int64(extra[$1]) }
        return count > 0 ? count : nil
    }
}
