import CFFmpeg

/// What a codec needs so that a seek is exact.
struct CodecTraits {
    /// Frames to decode, and drop, before the first one that is right.
    let preroll: Int64
    /// Every packet stands alone and nothing is lost in coding.
    let isLossless: Bool
    let isAC3: Bool
    /// Frames to look at before the format is certain: AAC may carry its upper band and its second channel in extensions that begin later.
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
            // The bit reservoir reaches 511 (MPEG-2: 255) bytes back, which is many frames at the lowest rates; overlap and filter bank add two.
            preroll = (frame > 576 ? 12 : 30) * frame
        case AV_CODEC_ID_MP2, AV_CODEC_ID_MP1: preroll = 2 * 1152
        case AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM:
            // Spectral band replication is described now and then only: half a second apart at most encoders.
            preroll = frame > 1024 ? max(4 * frame, rate * 3 / 2) : 4 * frame
        // Each block begins anew, in the lossy mode too.
        case AV_CODEC_ID_WAVPACK: preroll = 0
        case AV_CODEC_ID_OPUS: preroll = 48_000 / 2
        case AV_CODEC_ID_VORBIS: preroll = 2 * 8192
        case AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2: preroll = 65_536
        // Decoding begins at a major sync, at least each 128 access units of 1/1200 s.
        case AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD: preroll = rate / 4
        case AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3: preroll = 4 * 1536
        default:
            let standsAlone = isLossless || av_get_exact_bits_per_sample(codec) > 0
            preroll = standsAlone ? 0 : rate
        }
    }
}
