import CFFmpeg

/// The properties of a codec that determine how to seek to an exact sample.
struct CodecTraits {
    /// The number of frames that a decoder which starts in the middle of a stream must decode and discard before its first correct frame.
    let preroll: Int64
    /// Whether the codec is lossless only. By default, each packet of such a codec is decoded without other packets (`preroll` 0).
    let isLossless: Bool
    let isAC3: Bool
    /// The number of `AVFrame`s to decode before the stream's format is certain: an AAC stream may announce its upper band and its second channel
    /// only in a later one, by an extension.
    let framesToProbe: Int

    init(_ parameters: UnsafePointer<AVCodecParameters>, sampleRate: Int, frameSize: Int) {
        let codec = parameters.pointee.codec_id
        let properties = avcodec_descriptor_get(codec)?.pointee.props ?? 0
        isLossless = properties & AV_CODEC_PROP_LOSSLESS != 0 && properties & AV_CODEC_PROP_LOSSY == 0
        isAC3 = codec == AV_CODEC_ID_AC3
        framesToProbe = codec == AV_CODEC_ID_AAC || codec == AV_CODEC_ID_AAC_LATM ? 6 : 1
        let rate = Int64(sampleRate), frame = Int64(frameSize)
        switch codec {
        case AV_CODEC_ID_MP3:
            // An MP3 frame may use up to 511 bytes of the preceding frames, its bit reservoir (MPEG-2: 255 bytes). At the lowest bit rates, 511 bytes
            // are many frames. The overlap and the filter bank of the decoder need two frames more.
            preroll = (frame > 576 ? 12 : 30) * frame
        case AV_CODEC_ID_MP2, AV_CODEC_ID_MP1: preroll = 2 * 1152
        case AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM:
            // Most AAC encoders write the description of spectral band replication only every half second.
            preroll = frame > 1024 ? max(4 * frame, rate * 3 / 2) : 4 * frame
        // Each WavPack block is decoded without other blocks, also in the lossy mode.
        case AV_CODEC_ID_WAVPACK: preroll = 0
        // The influence of packets before the preroll halves with every 20 ms. RFC 7845 asks for 80 ms, after which the error is small. After 0.7 s
        // the samples are equal in all bits, except in strictly periodic audio: there the pitch filters keep an error in the last bit for longer.
        case AV_CODEC_ID_OPUS: preroll = 48_000
        case AV_CODEC_ID_VORBIS: preroll = 2 * 8192
        case AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2: preroll = 65_536
        // Decoding of MLP and TrueHD begins at a major sync, which occurs at least once in 128 access units of 1/1200 s.
        case AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD: preroll = rate / 4
        case AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3: preroll = 4 * 1536
        // The filter of a DSD decoder spans less than the bits of 64 samples.
        case AV_CODEC_ID_DSD_LSBF, AV_CODEC_ID_DSD_MSBF, AV_CODEC_ID_DSD_LSBF_PLANAR, AV_CODEC_ID_DSD_MSBF_PLANAR: preroll = 64
        // FFmpeg divides Shorten into packets of 1,024 bytes without regard to its blocks, and each block continues the blocks before it.
        case AV_CODEC_ID_SHORTEN: preroll = CodecTraits.everything
        case _ where CodecTraits.needsWholeHistory(codec): preroll = CodecTraits.everything
        default: preroll = isLossless || CodecTraits.isPulseCode(codec) ? 0 : rate
        }
    }

    /// The value of `preroll` for codecs whose packets must be decoded from the very beginning of the medium.
    static let everything = PacketClock.furthest

    /// Returns whether `codec` stores each sample as a number by itself (PCM). FFmpeg's exact bits per sample are not enough to tell: FFmpeg states
    /// them also for codecs that store differences.
    static func isPulseCode(_ codec: AVCodecID) -> Bool {
        codec.rawValue < AV_CODEC_ID_ADPCM_IMA_QT.rawValue && av_get_exact_bits_per_sample(codec) > 0
    }

    /// Returns whether a decoder of `codec` that starts in the middle may never produce the same samples as one that started at the beginning.
    ///
    /// ADPCM stores differences between samples. So an initial error persists (Yamaha), or decays only with suitable audio: G.722, G.726 and ADX need
    /// 3 to 8 s of a signal with pauses, or of a sweep. With DFPWM, the error in a tone never decays. Speech coders such as G.723.1 need 6 s.
    /// QuickTime's ADPCM packets state their first sample, but FFmpeg keeps the low bits of this sample from the preceding packet.
    private static func needsWholeHistory(_ codec: AVCodecID) -> Bool {
        let adaptive = AV_CODEC_ID_ADPCM_IMA_QT.rawValue..<AV_CODEC_ID_AMR_NB.rawValue
        let differential = AV_CODEC_ID_ROQ_DPCM.rawValue..<AV_CODEC_ID_MP2.rawValue
        guard adaptive.contains(codec.rawValue) || differential.contains(codec.rawValue) else {
            return codec == AV_CODEC_ID_DFPWM || codec == AV_CODEC_ID_G723_1
        }
        return !selfContained.contains { $0 == codec }
    }

    /// The ADPCM and DPCM codecs whose blocks contain everything that a decoder needs.
    private static let selfContained = [
        AV_CODEC_ID_ADPCM_IMA_WAV, AV_CODEC_ID_ADPCM_MS, AV_CODEC_ID_ADPCM_SWF, AV_CODEC_ID_ADPCM_IMA_DK3, AV_CODEC_ID_ADPCM_IMA_DK4,
        AV_CODEC_ID_ADPCM_IMA_SMJPEG, AV_CODEC_ID_ADPCM_IMA_AMV, AV_CODEC_ID_ADPCM_IMA_RAD, AV_CODEC_ID_ADPCM_IMA_ISS, AV_CODEC_ID_ROQ_DPCM,
        AV_CODEC_ID_INTERPLAY_DPCM, AV_CODEC_ID_XAN_DPCM,
    ]
}
