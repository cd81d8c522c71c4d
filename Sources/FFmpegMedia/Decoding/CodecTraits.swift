import CFFmpeg

/// The properties of a codec that determine how to seek to an exact sample.
struct CodecTraits {
    /// The number of frames that a decoder must decode and discard before its first correct one.
    let preroll: Int64
    /// Whether the codec is lossless. By default each packet of such a codec is decoded alone (`preroll` 0).
    let isLossless: Bool
    let isAC3: Bool
    /// Whether the samples after a seek are those of uninterrupted reading.
    let isRepeatable: Bool
    /// The number of frames that are decoded at the opening to find the format of the audio. An AAC stream may announce its upper band and its second
    /// channel only later, by an extension.
    let framesToProbe: Int

    init(_ parameters: UnsafePointer<AVCodecParameters>, sampleRate: Int, frameSize: Int) {
        let codec = parameters.pointee.codec_id
        let properties = avcodec_descriptor_get(codec)?.pointee.props ?? 0
        isLossless = properties & AV_CODEC_PROP_LOSSLESS != 0 && properties & AV_CODEC_PROP_LOSSY == 0
        isAC3 = codec == AV_CODEC_ID_AC3
        isRepeatable = !CodecTraits.noisy.contains { $0 == codec }
        framesToProbe = codec == AV_CODEC_ID_AAC || codec == AV_CODEC_ID_AAC_LATM ? 6 : 1
        let rate = Int64(sampleRate), frame = Int64(frameSize)
        switch codec {
        case AV_CODEC_ID_MP3:
            // A frame may use up to 511 bytes of the preceding frames (the bit reservoir), which are many frames at low bit rates. The overlap and
            // the filter bank need two more.
            preroll = (frame > 576 ? 12 : 30) * frame
        case AV_CODEC_ID_MP2, AV_CODEC_ID_MP1: preroll = 2 * 1152
        case AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM:
            // Most encoders describe spectral band replication only every half second.
            preroll = frame > 1024 ? max(4 * frame, rate * 3 / 2) : 4 * frame
        // Each block is decoded alone, also in the lossy mode.
        case AV_CODEC_ID_WAVPACK: preroll = 0
        // The influence of earlier audio halves with every 20 ms. RFC 7845 asks for 80 ms; after 0.7 s all bits are equal, except for
        // strictly periodic audio.
        case AV_CODEC_ID_OPUS: preroll = 48_000
        case AV_CODEC_ID_VORBIS: preroll = 2 * 8192
        case AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2: preroll = 65_536
        // A major sync occurs at least once in 128 access units of 1/1200 s.
        case AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD: preroll = rate / 4
        case AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3: preroll = 4 * 1536
        // The filter spans less than 64 samples.
        case _ where CodecTraits.isDirectStream(codec): preroll = 64
        // FFmpeg divides the stream into packets without regard to its blocks, which depend on each other.
        case AV_CODEC_ID_SHORTEN: preroll = CodecTraits.everything
        case _ where CodecTraits.needsWholeHistory(codec): preroll = CodecTraits.everything
        default: preroll = isLossless || CodecTraits.isPulseCode(codec) ? 0 : rate
        }
    }

    /// The preroll of a codec that is decoded from the very beginning of the medium.
    static let everything = PacketClock.furthest

    /// Whether the codec is PCM, in which each sample stands by itself. FFmpeg states exact bits also for codecs that store differences.
    static func isPulseCode(_ codec: AVCodecID) -> Bool {
        codec.rawValue < AV_CODEC_ID_ADPCM_IMA_QT.rawValue && av_get_exact_bits_per_sample(codec) > 0
    }

    /// The codecs whose decoders put noise where the encoder left none of the sound (AAC and Musepack in whole bands, AC-3 in coefficients without
    /// bits). The noise comes from a generator that runs on from packet to packet, and that cannot be set from outside.
    private static let noisy = [
        AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_COOK, AV_CODEC_ID_MUSEPACK7, AV_CODEC_ID_MUSEPACK8,
        AV_CODEC_ID_NELLYMOSER, AV_CODEC_ID_QDM2,
    ]

    /// Whether the codec is DSD, whose samples have one bit. FFmpeg decodes eight of them to one float.
    static func isDirectStream(_ codec: AVCodecID) -> Bool {
        [AV_CODEC_ID_DSD_LSBF, AV_CODEC_ID_DSD_MSBF, AV_CODEC_ID_DSD_LSBF_PLANAR, AV_CODEC_ID_DSD_MSBF_PLANAR].contains(codec)
    }

    /// Whether a decoder that starts in the middle may never produce the same samples. With differences (ADPCM) an initial error persists (Yamaha),
    /// or decays in 3 to 8 s of suitable audio (G.722, G.726, ADX); with DFPWM it never decays, with G.723.1 in 6 s. FFmpeg keeps the low bits of
    /// QuickTime's ADPCM from the preceding packet.
    private static func needsWholeHistory(_ codec: AVCodecID) -> Bool {
        let adaptive = AV_CODEC_ID_ADPCM_IMA_QT.rawValue..<AV_CODEC_ID_AMR_NB.rawValue
        let differential = AV_CODEC_ID_ROQ_DPCM.rawValue..<AV_CODEC_ID_MP2.rawValue
        guard adaptive.contains(codec.rawValue) || differential.contains(codec.rawValue) else {
            return codec == AV_CODEC_ID_DFPWM || codec == AV_CODEC_ID_G723_1
        }
        return !selfContained.contains { $0 == codec }
    }

    /// The codecs of differences whose blocks contain everything that a decoder needs.
    private static let selfContained = [
        AV_CODEC_ID_ADPCM_IMA_WAV, AV_CODEC_ID_ADPCM_MS, AV_CODEC_ID_ADPCM_SWF, AV_CODEC_ID_ADPCM_IMA_DK3, AV_CODEC_ID_ADPCM_IMA_DK4,
        AV_CODEC_ID_ADPCM_IMA_SMJPEG, AV_CODEC_ID_ADPCM_IMA_AMV, AV_CODEC_ID_ADPCM_IMA_RAD, AV_CODEC_ID_ADPCM_IMA_ISS, AV_CODEC_ID_ROQ_DPCM,
        AV_CODEC_ID_INTERPLAY_DPCM, AV_CODEC_ID_XAN_DPCM,
    ]
}
