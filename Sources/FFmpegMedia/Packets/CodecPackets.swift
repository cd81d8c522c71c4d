import CFFmpeg

/// Computes the number of samples in packets of codecs in which all packets decode to the same number of samples (AAC, AC-3, DTS, MLP).
struct UniformPackets {
    private let codec: AVCodecID
    private let samples: Int64
    /// The sample rate that the first packet of ADTS or AC-3 states; nil before the first packet. In joined files of ADTS or AC-3, later packets may
    /// have another sample rate.
    private var firstRate: Int?

    private static let codecs = [
        AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_DTS, AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD,
    ]

    /// Makes the computation for a codec; nil if the codec's packets have different numbers of samples. `samples` is the usual number of samples in a
    /// decoded frame.
    init?(_ codec: AVCodecID, samples: Int64) {
        guard UniformPackets.codecs.contains(where: { $0 == codec }) else { return nil }
        self.codec = codec
        self.samples = samples
    }

    /// Returns the number of samples in a packet, at the sample rate of the first packet. A packet of another sample rate counts by its duration.
    mutating func samples(in bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        guard let rate = statedRate(bytes) else { return samples }
        let first = firstRate ?? rate
        firstRate = first
        return rate == first ? samples : Ratio(from: rate, to: first).outputFrames(samples)
    }

    /// Returns the sample rate in the header of an ADTS packet or of an AC-3 packet; nil if the header is absent or invalid.
    private func statedRate(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        switch codec {
        case AV_CODEC_ID_AAC: RawStreamEstimate.frame(bytes, isADTS: true)?.sampleRate
        case AV_CODEC_ID_AC3: AC3Header.sampleRate(bytes)
        default: nil
        }
    }
}

/// Computes the number of samples in packets of Vorbis without decoding them. The number depends on the block sizes of the packet and of the packet
/// before it.
final class VorbisPackets {
    private let parser: OpaquePointer
    /// A second parser, which is reset before each packet, so that it measures the packet without regard to the preceding one.
    private let statelessParser: OpaquePointer

    /// Makes the parsers of Vorbis packets; nil if the codec is not Vorbis, or if the stream has no valid header.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard parameters.pointee.codec_id == AV_CODEC_ID_VORBIS, parameters.pointee.extradata_size > 0 else { return nil }
        func make() -> OpaquePointer? { av_vorbis_parse_init(parameters.pointee.extradata, parameters.pointee.extradata_size) }
        guard let parser = make() else { return nil }
        guard let statelessParser = make() else {
            VorbisPackets.free(parser)
            return nil
        }
        self.parser = parser
        self.statelessParser = statelessParser
    }

    deinit {
        VorbisPackets.free(parser)
        VorbisPackets.free(statelessParser)
    }

    private static func free(_ parser: OpaquePointer) {
        var parser: OpaquePointer? = parser
        av_vorbis_parse_free(&parser)
    }

    /// Discards the block size of the preceding Vorbis packet.
    func reset() { av_vorbis_parse_reset(parser) }

    /// Returns the number of samples in the next Vorbis packet; nil if the packet is malformed.
    func samples(in bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        let count = av_vorbis_parse_frame_flags(parser, bytes.baseAddress, Int32(bytes.count), nil)
        return count >= 0 ? Int64(count) : nil
    }

    /// Returns the number of samples in a Vorbis packet without the packet before it; negative if the packet is malformed.
    func samplesAlone(in bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        av_vorbis_parse_reset(statelessParser)
        return Int64(av_vorbis_parse_frame_flags(statelessParser, bytes.baseAddress, Int32(bytes.count), nil))
    }
}

/// Reads the length of an Opus packet (RFC 6716, section 3.1).
enum OpusPacket {
    /// Returns the number of samples in an Opus packet at 48 kHz; nil if the packet is malformed. The number is the frame size times the number of
    /// frames, and the packet's first byte (TOC) states both.
    static func samples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let toc = bytes.first else { return nil }
        let configuration = Int(toc >> 3)
        let frame =
            switch configuration {
            case 0..<12: [480, 960, 1920, 2880][configuration & 3]
            case 12..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        switch toc & 3 {
        case 0: return Int64(frame)
        case 1, 2: return Int64(2 * frame)
        default:
            guard bytes.count > 1 else { return nil }
            let count = Int(bytes[1] & 0x3F)
            return count > 0 && count * frame <= 5760 ? Int64(count * frame) : nil
        }
    }
}

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
