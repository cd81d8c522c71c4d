import CFFmpeg

/// Computes the number of samples in packets of Apple Lossless without decoding them. The cookie (the codec's header) states the number for a whole
/// packet; a packet with fewer samples states their number itself (Apple Lossless, `ALACDecoder::Decode`).
struct ALACPackets {
    /// The number of samples in a whole packet, as the cookie states it.
    private let whole: Int64

    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard parameters.pointee.codec_id == AV_CODEC_ID_ALAC, parameters.pointee.extradata_size >= 36 else { return nil }
        guard let extra = parameters.pointee.extradata else { return nil }
        // A header of 12 bytes precedes the cookie of Apple Lossless.
        whole = (12...15).reduce(Int64(0)) { $0 << 8 | Int64(extra[$1]) }
        guard (1...(1 << 20)).contains(whole) else { return nil }
    }

    /// Returns the number of samples in a packet of Apple Lossless; nil if the packet is too short.
    func samples(in bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count > 6 else { return nil }
        // The bits at the start of an Apple Lossless packet: element (3 bits), instance (4), unused (12), whether a count follows (1), bytes shifted
        // off (2), whether it is uncompressed (1), count (32).
        guard bytes[2] >> 4 & 1 == 1 else { return whole }
        let count = (2...6).reduce(Int64(0)) { $0 << 8 | Int64(bytes[$1]) } >> 1 & 0xFFFF_FFFF
        return (1...whole).contains(count) ? count : whole
    }
}
