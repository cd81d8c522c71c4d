import CFFmpeg

/// Computes the number of samples in packets of Windows Media Audio 1 and 2 without decoding them. A packet has several frames, and the next packet
/// completes the last of these frames.
struct WindowsMediaPackets {
    private let frame: Int64
    private let usesReservoir: Bool
    /// The size of one packet of the encoder, in bytes; 0 if it is unknown. In WAV, one packet of FFmpeg contains several of the encoder's packets.
    private let block: Int

    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        let codec = parameters.pointee.codec_id
        guard codec == AV_CODEC_ID_WMAV1 || codec == AV_CODEC_ID_WMAV2, let extra = parameters.pointee.extradata else { return nil }
        let rate = parameters.pointee.sample_rate
        let bits = rate <= 16_000 ? 9 : rate <= 22_050 || (rate <= 32_000 && codec == AV_CODEC_ID_WMAV1) ? 10 : 11
        frame = 1 << Int64(bits)
        let size = Int(parameters.pointee.extradata_size)
        let flags = codec == AV_CODEC_ID_WMAV1 ? (size >= 4 ? extra[2] : 0) : (size >= 6 ? extra[4] : 0)
        usesReservoir = flags & 2 != 0
        block = Int(max(0, parameters.pointee.block_align))
    }

    func samples(in bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard block > 0, bytes.count > block else { return bytes.first.map { usesReservoir ? Int64($0 & 0x0F) * frame : frame } }
        return stride(from: 0, through: bytes.count - block, by: block).reduce(0) { $0 + (usesReservoir ? Int64(bytes[$1] & 0x0F) * frame : frame) }
    }
}
