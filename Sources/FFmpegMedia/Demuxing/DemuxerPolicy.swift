import CFFmpeg

/// The demuxers of FFmpeg that may read a medium: those of containers in which people keep and stream audio. Others, also new ones, open other things
/// (playlists, image sequences), emulate a machine (libgme), play scores (libopenmpt), or belong to one game. Besides, every medium is read through
/// `ByteSource`, `io_open` is refused, and the protocol whitelist allows nothing.
enum DemuxerPolicy {
    private static let allowed: Set<String> = [
        // Audio alone.
        "aac", "ac3", "adx", "aiff", "amr", "amrnb", "amrwb", "ape", "apm", "aptx", "aptx_hd", "au", "caf", "dfpwm", "dsf", "dts", "dtshd", "eac3",
        "flac", "g722", "g723_1", "g726", "g726le", "g729", "gsm", "iff", "ilbc", "ircam", "loas", "mlp", "mp3", "mpc", "mpc8", "nistsphere",
        "ogg", "oma", "pvf", "qcp", "sbc", "shn", "sox", "spdif", "tak", "truehd", "tta", "voc", "vqf", "w64", "wav", "wsd", "wv", "wve",
        "xwma",
        // Audio and video.
        "3g2", "3gp", "asf", "avi", "flv", "live_flv", "m4a", "matroska", "mj2", "mov", "mp4", "mpeg", "mpegts", "nut", "rm", "webm",
    ]

    /// The list for the contexts that a demuxer makes internally (`AVFormatContext.format_whitelist`).
    static let whitelist = allowed.sorted().joined(separator: ",")

    /// The least score of FFmpeg's detection, 0 to 100. With a lower one, which may be a single header in noise, only MPEG audio with consecutive
    /// frames is accepted (`MPEGAudioRun`).
    static let minimumScore: Int32 = 5

    /// The greatest number of streams, each of which costs a decoder while FFmpeg reads the beginning. A television multiplex has some dozens.
    static let streamLimit = 256

    static func allows(_ format: UnsafePointer<AVInputFormat>) -> Bool {
        guard format.pointee.flags & (AVFMT_NOFILE | AVFMT_NEEDNUMBER) == 0, let name = format.pointee.name else { return false }
        return String(cString: name).split(separator: ",").allSatisfy { allowed.contains(String($0)) }
    }
}

/// FFmpeg's own decoders of audio. Pictures and subtitles are not decoded; only `PictureCodecPolicy` allows that, to scale pictures.
enum DecoderPolicy {
    private static let allowed: Set<String> = [
        "8svx_exp", "8svx_fib", "aac", "aac_latm", "ac3", "alac", "als", "amrnb", "amrwb", "ape", "aptx", "aptx_hd", "atrac1", "atrac3", "atrac3al",
        "atrac3plus", "atrac3plusal", "comfortnoise", "cook", "dca", "dfpwm", "dsd_lsbf", "dsd_lsbf_planar", "dsd_msbf", "dsd_msbf_planar", "dst",
        "eac3", "evrc", "flac", "g722", "g723_1", "g726", "g726le", "g729", "gsm", "gsm_ms", "iac", "ilbc", "imc", "interplay_dpcm", "mace3", "mace6",
        "metasound", "mlp", "mp1", "mp1float", "mp2", "mp2float", "mp3", "mp3adu", "mp3adufloat", "mp3float", "mp3on4", "mp3on4float", "mpc7",
        "mpc8", "msnsiren", "nellymoser", "on2avc", "opus", "qcelp", "qdm2", "qdmc", "ralf", "real_144", "real_288", "roq_dpcm", "s302m", "sbc",
        "shorten", "sipr", "siren", "sonic", "speex", "tak", "truehd", "truespeech", "tta", "twinvq", "vorbis", "wavpack", "wmalossless", "wmapro",
        "wmav1", "wmav2", "wmavoice", "xan_dpcm", "xma1", "xma2",
    ]
    /// The beginnings of the names of further allowed codecs: those that store differences of samples (ADPCM), and plain samples (PCM).
    private static let families = ["adpcm_", "pcm_"]

    /// The complete names of the allowed decoders, as `codec_whitelist` requires.
    static let whitelist: String = {
        var names = allowed, state: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&state) {
            if av_codec_is_decoder(codec) != 0, allows(codec) { names.insert(String(cString: codec.pointee.name)) }
        }
        return names.sorted().joined(separator: ",")
    }()

    static func allows(_ decoder: UnsafePointer<AVCodec>) -> Bool {
        guard decoder.pointee.type == AVMEDIA_TYPE_AUDIO, let name = decoder.pointee.name.map({ String(cString: $0) }) else { return false }
        return allowed.contains(name) || families.contains { name.utf8.starts(with: $0.utf8) }
    }
}
