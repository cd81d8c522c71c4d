import CFFmpeg

/// Computes from a packet's bytes how many samples it decodes to, so that packets can be counted without decoding.
final class PacketMeter {
    private let parameters: UnsafeMutablePointer<AVCodecParameters>
    private let codec: AVCodecID
    /// The stream's rate, in which everything is counted. A frame of another rate (joined files) counts by its duration.
    private let sampleRate: Int
    /// Samples per packet, from the first decoded frame, for codecs whose packets are all alike (AAC).
    private let constant: Int64?
    private let vorbis: OpaquePointer?
    /// A second parser for Vorbis, which is reset before each packet.
    private let forgetful: OpaquePointer?
    private let windowsMedia: WindowsMediaPackets?
    /// The block size in samples by which FLAC frames are numbered.
    private let flacBlock: Int64?

    /// Samples of the first decoded frame. A WavPack packet that states more than twice as many is damaged.
    private let firstFrame: Int64
    /// The rate that the first packet of ADTS or AC-3 states; in joined files others may differ.
    private var firstRate: Int?

    /// Average frame size, in bytes, of MPEG audio or AC-3 that has no container.
    private let meanFrameSize: Double?
    /// Bytes since the last valid frame that belong to no frame.
    private var rubbish = 0
    /// Samples that were lost before the last packet, estimated from the invalid bytes before it.
    private(set) var gap: Int64 = 0

    /// Whether FFmpeg computes the length of this stream's packets correctly.
    private let trustsFFmpeg: Bool

    private static let alike = [
        AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_DTS, AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD,
    ]

    /// `firstFrame`: the samples that a packet decoded to; `firstPacket`: the size of that packet, in bytes; `meanFrameSize`: the average frame size,
    /// in bytes, of MPEG audio or AC-3 that has no container.
    init(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>, sampleRate: Int, firstFrame: Int, firstPacket: Int32, meanFrameSize: Double? = nil
    ) {
        self.sampleRate = sampleRate
        self.meanFrameSize = meanFrameSize
        self.firstFrame = Int64(firstFrame)
        let isPulseCode = av_get_exact_bits_per_sample(parameters.pointee.codec_id) > 0
        trustsFFmpeg = isPulseCode || (firstPacket > 0 && Int(av_get_audio_frame_duration2(parameters, firstPacket)) == firstFrame)
        self.parameters = parameters
        let codec = parameters.pointee.codec_id
        self.codec = codec
        constant = PacketMeter.alike.contains { $0 == codec } ? Int64(firstFrame) : nil
        let vorbisHeader = codec == AV_CODEC_ID_VORBIS && parameters.pointee.extradata_size > 0
        func parser() -> OpaquePointer? {
            vorbisHeader ? av_vorbis_parse_init(parameters.pointee.extradata, parameters.pointee.extradata_size) : nil
        }
        (vorbis, forgetful) = (parser(), parser())
        windowsMedia = WindowsMediaPackets(parameters)
        flacBlock = codec == AV_CODEC_ID_FLAC ? PacketMeter.flacBlock(parameters) : nil
    }

    deinit {
        for var parser in [vorbis, forgetful] where parser != nil { av_vorbis_parse_free(&parser) }
    }

    /// Discards the preceding packet's state, after a jump.
    func reset() {
        rubbish = 0
        gap = 0
        if let vorbis { av_vorbis_parse_reset(vorbis) }
    }

    /// Returns the samples that `packet` decodes to; nil if only decoding shows it. Call for each packet, in order.
    func samples(in packet: UnsafePointer<AVPacket>) -> Int64? {
        guard let data = packet.pointee.data, packet.pointee.size > 0 else { return nil }
        let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
        if codec == AV_CODEC_ID_AC3, let constant {
            // ATSC A/52, 5.3.1: the sync word, in either byte order.
            let isFrame = bytes.count > 1 && (bytes[0] == 0x0B && bytes[1] == 0x77 || bytes[0] == 0x77 && bytes[1] == 0x0B)
            return isFrame ? framed(scaled(constant, by: PacketMeter.statedRate(bytes, codec)), behind: 0) : unframed(bytes)
        }
        if let constant { return scaled(constant, by: PacketMeter.statedRate(bytes, codec)) }
        if let vorbis {
            let count = av_vorbis_parse_frame_flags(vorbis, data, packet.pointee.size, nil)
            return count >= 0 ? Int64(count) : nil
        }
        switch codec {
        case AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_MP1: return mpegSamples(bytes)
        case AV_CODEC_ID_FLAC: return FLACFrameHeader(bytes).map { Int64($0.blockSize) }
        case AV_CODEC_ID_OPUS: return PacketMeter.opusSamples(bytes)
        case AV_CODEC_ID_EAC3: return PacketMeter.enhancedAC3Samples(bytes)
        case AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2: return windowsMedia?.samples(in: bytes)
        case AV_CODEC_ID_ALAC: return alacSamples(bytes)
        case AV_CODEC_ID_WAVPACK: return WavPackBlock(bytes).flatMap { $0.samples > 0 && $0.samples <= 2 * firstFrame ? $0.samples : nil }
        // Packets share frames: one begins a frame, and the next ends it.
        case AV_CODEC_ID_PCM_DVD: return nil
        default: break
        }
        guard trustsFFmpeg else { return nil }
        let count = av_get_audio_frame_duration2(parameters, packet.pointee.size)
        return count > 0 ? Int64(count) : nil
    }

    /// Whether `packet` also measures `samples` without the packet before it.
    func standsAlone(_ packet: UnsafePointer<AVPacket>, measuring samples: Int64?) -> Bool {
        if codec == AV_CODEC_ID_PCM_DVD { return false }
        guard let forgetful, let data = packet.pointee.data, packet.pointee.size > 0 else { return true }
        av_vorbis_parse_reset(forgetful)
        return Int64(av_vorbis_parse_frame_flags(forgetful, data, packet.pointee.size, nil)) == samples
    }

    /// Converts the samples of a packet whose rate differs from the first one's: its duration stays the same.
    private func scaled(_ samples: Int64, by rate: Int?) -> Int64 {
        guard let rate else { return samples }
        let first = firstRate ?? rate
        firstRate = first
        return rate == first ? samples : Ratio(from: rate, to: first).outputFrames(samples)
    }

    /// Returns the sample rate in a header of ADTS (ISO/IEC 13818-7, 6.2) or AC-3 (ATSC A/52, 5.3.1); nil if it is absent or invalid.
    private static func statedRate(_ bytes: UnsafeBufferPointer<UInt8>, _ codec: AVCodecID) -> Int? {
        guard bytes.count > 6 else { return nil }
        if codec == AV_CODEC_ID_AAC, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 {
            let rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]
            let index = Int(bytes[2] >> 2 & 0x0F)
            return index < rates.count ? rates[index] : nil
        }
        // Bit stream identification 9 halves the rate, and 10 quarters it. Above them it is another format.
        if codec == AV_CODEC_ID_AC3, bytes[0] == 0x0B, bytes[1] == 0x77, bytes[4] >> 6 < 3, bytes[5] >> 3 <= 10 {
            return [48_000, 44_100, 32_000][Int(bytes[4] >> 6)] >> max(0, Int(bytes[5] >> 3) - 8)
        }
        return nil
    }

    /// Returns the samples of an ALAC packet, whose header states them if they are fewer than the cookie's (Apple Lossless, `ALACDecoder::Decode`).
    private func alacSamples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 36, bytes.count > 6 else { return nil }
        // The atom's own header of 12 bytes comes first.
        let whole = (12...15).reduce(Int64(0)) { $0 << 8 | Int64(extra[$1]) }
        guard (1...(1 << 20)).contains(whole) else { return nil }
        // Element (3 bits), instance (4), unused (12), whether a count follows (1), bytes shifted off (2), whether it is uncompressed (1), count
        // (32).
        guard bytes[2] >> 4 & 1 == 1 else { return whole }
        let bits = (2...6).reduce(Int64(0)) { $0 << 8 | Int64(bytes[$1]) } >> 1 & 0xFFFF_FFFF
        return (1...whole).contains(bits) ? bits : whole
    }

    /// Returns the samples of a packet with a frame, or with invalid bytes alone. Those count only if another frame follows: at the end they are a
    /// tag.
    private func mpegSamples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        guard let header = MPEGAudioHeader(bytes) else { return unframed(bytes) }
        let samples = Ratio(from: header.sampleRate, to: sampleRate).outputFrames(Int64(header.samples))
        return framed(samples, behind: header.frameSize > 0 ? max(0, bytes.count - header.frameSize) : 0)
    }

    private func unframed(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        gap = 0
        rubbish += bytes.count
        return 0
    }

    /// Accounts for a frame, and for the invalid bytes after it in its packet (`behind`).
    private func framed(_ samples: Int64, behind: Int) -> Int64 {
        gap = 0
        if let meanFrameSize, meanFrameSize > 0, rubbish > 0 { gap = Int64(bounded: (Double(rubbish) / meanFrameSize).rounded() * Double(samples)) }
        rubbish = behind
        return samples
    }

    /// Whether packets state their own positions.
    var knowsPositions: Bool { flacBlock != nil }

    /// Returns the position that `packet` states, counted from the start of its stream; nil if it states none.
    func position(of packet: UnsafePointer<AVPacket>) -> Int64? {
        guard flacBlock != nil, let data = packet.pointee.data, packet.pointee.size > 0 else { return nil }
        return FLACFrameHeader(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))).flatMap { range(of: $0)?.lowerBound }
    }

    /// Returns the sample numbers of a FLAC frame, counted from the start of its stream.
    func range(of header: FLACFrameHeader) -> Range<Int64>? {
        // Sample numbers have 36 bits; a larger one is damage.
        guard let flacBlock, header.number < 1 << 36 else { return nil }
        let start = header.hasFixedBlockSize ? Int64(header.number) * flacBlock : Int64(header.number)
        return start..<(start + Int64(header.blockSize))
    }

    /// The size of the largest FLAC frame, in bytes, from STREAMINFO (RFC 9639, section 8.2); 0 if it is unknown.
    var largestFrame: Int64 {
        guard flacBlock != nil, let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return 0 }
        return (7...9).reduce(0) { $0 << 8 | Int64(extra[$1]) }
    }

    /// Returns STREAMINFO's largest block size (RFC 9639, section 8.2), which all fixed-size blocks but the last have.
    private static func flacBlock(_ parameters: UnsafePointer<AVCodecParameters>) -> Int64? {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        let largest = Int64(extra[2]) << 8 | Int64(extra[3])
        return largest >= 16 ? largest : nil
    }

    /// Returns STREAMINFO's count of samples; nil if the encoder did not know it.
    static func flacTotal(_ parameters: UnsafePointer<AVCodecParameters>) -> Int64? {
        guard let extra = parameters.pointee.extradata, parameters.pointee.extradata_size >= 34 else { return nil }
        let total = (14...17).reduce(Int64(extra[13] & 0x0F)) { $0 << 8 | Int64(extra[$1]) }
        return total > 0 ? total : nil
    }

    /// Returns the samples of an Opus packet at 48 kHz: frame size times count, from the TOC byte (RFC 6716, section 3.1).
    private static func opusSamples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
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

    /// Returns the samples of an E-AC-3 packet, in blocks of 256 (ETSI TS 102 366, annex E).
    private static func enhancedAC3Samples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count > 5, bytes[0] == 0x0B, bytes[1] == 0x77 else { return nil }
        // A bit stream identification of 10 or less is AC-3.
        if bytes[5] >> 3 <= 10 { return 1536 }
        let blocks = bytes[4] >> 6 == 3 ? 6 : [1, 2, 3, 6][Int(bytes[4] >> 4 & 3)]
        return Int64(blocks * 256)
    }
}

/// Windows Media Audio 1 and 2: a packet has several frames, and the next packet completes the last of them.
struct WindowsMediaPackets {
    private let frame: Int64
    private let usesReservoir: Bool

    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        let codec = parameters.pointee.codec_id
        guard codec == AV_CODEC_ID_WMAV1 || codec == AV_CODEC_ID_WMAV2, let extra = parameters.pointee.extradata else { return nil }
        let rate = parameters.pointee.sample_rate
        let bits = rate <= 16_000 ? 9 : rate <= 22_050 || (rate <= 32_000 && codec == AV_CODEC_ID_WMAV1) ? 10 : 11
        frame = 1 << Int64(bits)
        let size = Int(parameters.pointee.extradata_size)
        let flags = codec == AV_CODEC_ID_WMAV1 ? (size >= 4 ? extra[2] : 0) : (size >= 6 ? extra[4] : 0)
        usesReservoir = flags & 2 != 0
    }

    func samples(in bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard usesReservoir else { return frame }
        return bytes.first.map { Int64($0 & 0x0F) * frame }
    }
}
