import CFFmpeg

/// The demuxers of FFmpeg that may read a medium: those of containers in which people keep and stream audio. All others are refused, also the new
/// ones of later versions of FFmpeg. Refused demuxers open other things (playlists, sessions, image sequences), emulate a machine (libgme), play
/// scores (libopenmpt), or belong to one game.
///
/// There are three more protections: every medium is read through Tonearm's own `ByteSource`, `io_open` is refused, and the protocol whitelist is
/// empty.
enum DemuxerPolicy {
    private static let allowed: Set<String> = [
        // Demuxers of containers for audio alone.
        "aac", "ac3", "adx", "aiff", "amr", "amrnb", "amrwb", "ape", "apm", "aptx", "aptx_hd", "au", "caf", "dfpwm", "dsf", "dts", "dtshd", "eac3",
        "flac", "g722", "g723_1", "g726", "g726le", "g729", "gsm", "iff", "ilbc", "ircam", "loas", "mlp", "mp3", "mpc", "mpc8", "nistsphere",
        "ogg", "oma", "pvf", "qcp", "sbc", "shn", "sox", "spdif", "tak", "truehd", "tta", "voc", "vqf", "w64", "wav", "wsd", "wv", "wve",
        "xwma",
        // Demuxers of containers for audio and video.
        "3g2", "3gp", "asf", "avi", "flv", "live_flv", "m4a", "matroska", "mj2", "mov", "mp4", "mpeg", "mpegts", "nut", "rm", "webm",
    ]

    /// The list of allowed demuxers for the contexts that a demuxer of FFmpeg makes internally (`AVFormatContext.format_whitelist`).
    static let whitelist = allowed.sorted().joined(separator: ",")

    /// FFmpeg's score (0 to 100) from which a detected format is accepted. A lower score may come from a single header in noise: then only MPEG audio
    /// is accepted, and only if `MPEGAudioRun` finds consecutive frames.
    static let minimumScore: Int32 = 5

    /// The maximum number of streams of a medium, because each stream costs a decoder while FFmpeg reads the beginning. The multiplex of a television
    /// channel has some dozens of streams.
    static let streamLimit = 256

    /// Returns whether FFmpeg's demuxer `format` may be used.
    static func allows(_ format: UnsafePointer<AVInputFormat>) -> Bool {
        guard format.pointee.flags & (AVFMT_NOFILE | AVFMT_NEEDNUMBER) == 0, let name = format.pointee.name else { return false }
        return String(cString: name).split(separator: ",").allSatisfy { allowed.contains(String($0)) }
    }
}

/// The decoders of FFmpeg that may run: FFmpeg's own decoders of audio in the allowed containers. Pictures and subtitles of a medium are not decoded,
/// not even while FFmpeg reads the beginning. Only `PictureCodecPolicy` allows decoders of pictures, to scale the medium's picture.
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
    /// The families of simple decoders that may run, by the beginning of their names: of sample differences (ADPCM), and of plain samples (PCM).
    private static let families = ["adpcm_", "pcm_"]

    /// The allowed decoders for FFmpeg's own option `codec_whitelist`, which accepts only complete names.
    static let whitelist: String = {
        var names = allowed, state: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&state) {
            if av_codec_is_decoder(codec) != 0, allows(codec) { names.insert(String(cString: codec.pointee.name)) }
        }
        return names.sorted().joined(separator: ",")
    }()

    /// Returns whether FFmpeg's decoder `decoder` may run.
    static func allows(_ decoder: UnsafePointer<AVCodec>) -> Bool {
        guard decoder.pointee.type == AVMEDIA_TYPE_AUDIO, let name = decoder.pointee.name.map({ String(cString: $0) }) else { return false }
        return allowed.contains(name) || families.contains { name.utf8.starts(with: $0.utf8) }
    }
}
