import PlaybackTesting

extension Encoding {
    /// Further encodings in the formats of `all`, with other sample rates, channels, bits per sample and headers.
    static let others: [Encoding] = waves + compressed + mpeg + advanced + upperBands + attacks

    private static func signal(_ rate: Int, _ channels: Int = 2) -> TestSignal {
        TestSignal(sampleRate: rate, channelCount: channels, frameCount: max(rate / 2, 24_000) + 111)
    }

    private static let waves: [Encoding] = [
        Encoding(name: "wav-8-bit", fileExtension: "wav", arguments: [], fidelity: .lossless, signal: signal(8000, 1), bits: 8),
        Encoding(name: "wav-24-bit", fileExtension: "wav", arguments: [], fidelity: .lossless, signal: signal(48_000, 6), bits: 24),
        Encoding(name: "wav-32-bit", fileExtension: "wav", arguments: ["-c:a", "pcm_s32le"], fidelity: .lossless, signal: signal(96_000), bits: 24),
        Encoding(
            name: "wav-float", fileExtension: "wav", arguments: ["-c:a", "pcm_f32le"], fidelity: .lossless, signal: signal(192_000, 8), bits: 24),
        Encoding(
            name: "wav-double", fileExtension: "wav", arguments: ["-c:a", "pcm_f64le"], fidelity: .lossless, signal: signal(11_025, 1), bits: 24),
        Encoding(
            name: "aiff-24-bit", fileExtension: "aiff", arguments: ["-c:a", "pcm_s24be"], fidelity: .lossless, signal: signal(88_200), bits: 24),
        Encoding(name: "aifc-float", fileExtension: "aiff", arguments: ["-c:a", "pcm_f32be"], fidelity: .lossless, signal: signal(22_050), bits: 24),
        Encoding(
            name: "caf-float", fileExtension: "caf", arguments: ["-c:a", "pcm_f32be"], fidelity: .lossless, signal: signal(96_000, 6), bits: 24),
    ]

    private static let compressed: [Encoding] = [
        Encoding(name: "flac-8k", fileExtension: "flac", arguments: ["-c:a", "flac"], fidelity: .lossless, signal: signal(8000, 1), bits: 8),
        Encoding(
            name: "flac-192k", fileExtension: "flac", arguments: ["-c:a", "flac", "-sample_fmt", "s32", "-bits_per_raw_sample", "24"],
            fidelity: .lossless, signal: signal(192_000), bits: 24),
        Encoding(name: "flac-7.1", fileExtension: "flac", arguments: ["-c:a", "flac"], fidelity: .lossless, signal: signal(48_000, 8)),
        Encoding(
            name: "alac-5.1", fileExtension: "m4a", arguments: ["-c:a", "alac", "-sample_fmt", "s32p"], fidelity: .lossless,
            signal: signal(48_000, 6), bits: 24),
        Encoding(
            name: "wavpack-float", fileExtension: "wv", arguments: ["-c:a", "wavpack", "-sample_fmt", "fltp"], fidelity: .lossless,
            signal: signal(96_000), bits: 24),
        Encoding(
            name: "wavpack-32-bit", fileExtension: "wv", arguments: ["-c:a", "wavpack", "-sample_fmt", "s32p"], fidelity: .lossless,
            signal: signal(44_100, 1), bits: 24),
        Encoding(name: "flac-ogg-mono", fileExtension: "oga", arguments: ["-c:a", "flac"], fidelity: .lossless, signal: signal(32_000, 1)),
        Encoding(name: "flac-matroska-7.1", fileExtension: "mka", arguments: ["-c:a", "flac"], fidelity: .lossless, signal: signal(96_000, 8)),
    ]

    private static let mpeg: [Encoding] = [
        Encoding(
            name: "mp3-mono-8k", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "16k"], fidelity: .repeatable,
            signal: signal(8000, 1)),
        Encoding(
            name: "mp3-24k", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-q:a", "4"], fidelity: .repeatable, signal: signal(24_000)),
        Encoding(
            name: "mp3-320", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "320k"], fidelity: .repeatable, signal: signal(48_000)),
        Encoding(
            name: "mp3-cbr-bare", fileExtension: "mp3",
            arguments: ["-c:a", "libmp3lame", "-b:a", "96k", "-write_xing", "0", "-id3v2_version", "0"], fidelity: .repeatable),
        Encoding(
            name: "mp3-vbri", fileExtension: "mp3",
            arguments: ["-c:a", "libmp3lame", "-q:a", "3", "-write_xing", "0", "-id3v2_version", "0"], fidelity: .repeatable,
            rewrite: { try Rewriting.vbri($0) }),
    ]

    private static let advanced: [Encoding] = [
        Encoding(
            name: "aac-5.1", fileExtension: "m4a", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "320k"], fidelity: .repeatable,
            signal: signal(48_000, 6)),
        Encoding(
            name: "aac-8k", fileExtension: "m4a", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "24k"], fidelity: .repeatable,
            signal: signal(8000, 1)),
        Encoding(
            name: "aac-pns", fileExtension: "m4a", arguments: ["-c:a", "aac", "-aac_pns", "1", "-b:a", "64k"], fidelity: .aligned,
            likenessOfSeeks: 0.5),
        Encoding(
            name: "he-aac-v1", fileExtension: "m4a", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "96k"], fidelity: .repeatable,
            signal: signal(22_050), rewrite: { try Rewriting.audioSpecificConfig($0, objectType: 5, channels: 2) }),
        Encoding(
            name: "he-aac-v2", fileExtension: "m4a", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "48k"], fidelity: .repeatable,
            signal: signal(22_050, 1), rewrite: { try Rewriting.audioSpecificConfig($0, objectType: 29, channels: 1) }),
        Encoding(
            name: "vorbis-7.1", fileExtension: "ogg", arguments: ["-c:a", "libvorbis", "-q:a", "3"], fidelity: .repeatable, signal: signal(48_000, 8)),
        Encoding(
            name: "vorbis-8k", fileExtension: "ogg", arguments: ["-c:a", "libvorbis", "-q:a", "3"], fidelity: .repeatable, signal: signal(8000, 1)),
        Encoding(
            name: "opus-5.1", fileExtension: "opus", arguments: ["-c:a", "libopus", "-b:a", "256k"], fidelity: .repeatable, signal: signal(48_000, 6)),
        Encoding(
            name: "opus-60ms", fileExtension: "opus", arguments: ["-c:a", "libopus", "-frame_duration", "60", "-application", "voip", "-b:a", "24k"],
            fidelity: .repeatable, signal: signal(48_000, 1)),
        Encoding(
            name: "ac3-5.1", fileExtension: "ac3", arguments: ["-c:a", "ac3", "-b:a", "448k"], fidelity: .aligned, signal: signal(48_000, 6)),
        Encoding(name: "wma-v1", fileExtension: "wma", arguments: ["-c:a", "wmav1", "-b:a", "128k"], fidelity: .repeatable),
        Encoding(
            name: "wma-mono", fileExtension: "wma", arguments: ["-c:a", "wmav2", "-b:a", "48k"], fidelity: .repeatable, signal: signal(22_050, 1)),
    ]

    /// Encodings of audio with sudden sounds (attacks), at which a codec changes between short and long blocks.
    static let attacks: [Encoding] = [
        attack("vorbis-attacks", "ogg", ["-c:a", "libvorbis", "-q:a", "4"]),
        attack("vorbis-matroska-attacks", "mka", ["-c:a", "libvorbis", "-q:a", "4"], seconds: 16, untold: (0, 0)),
        attack("mp3-attacks", "mp3", ["-c:a", "libmp3lame", "-q:a", "3"]),
        attack("aac-attacks", "m4a", ["-c:a", "aac", "-aac_pns", "0", "-b:a", "128k"]),
        attack("opus-attacks", "opus", ["-c:a", "libopus", "-b:a", "96k"], rate: 48_000),
    ]

    private static func attack(
        _ name: String, _ fileExtension: String, _ arguments: [String], rate: Int = 44_100, seconds: Int = 4, untold: (Int, Int)? = nil
    ) -> Encoding {
        let signal = TestSignal(sampleRate: rate, frameCount: seconds * rate + 321, hasAttacks: true)
        return Encoding(name: name, fileExtension: fileExtension, arguments: arguments, fidelity: .repeatable, signal: signal, untold: untold)
    }

    /// Encodings of HE-AAC with its upper band, in three containers. The stream alone signals the upper band, or also the container.
    static let upperBands: [Encoding] = [
        upperBand("he-aac-v1-adts"),
        upperBand("he-aac-v1-mono-adts", channels: 1),
        upperBand("he-aac-v1-noise", noise: 4, likeness: 0.97),
        upperBand("he-aac-v1-ts", container: ("ts", nil)),
        upperBand("he-aac-v1-implicit", container: ("m4a", nil)),
        upperBand(
            "he-aac-v1-announced", container: ("m4a", { try Rewriting.announcingUpperBand($0, channels: 2, hasStereo: false) })),
        upperBand("he-aac-v2-adts", channels: 1, isParametricStereo: true),
        upperBand("he-aac-v2-ts", channels: 1, isParametricStereo: true, container: ("ts", nil)),
        upperBand(
            "he-aac-v2-announced", channels: 1, isParametricStereo: true,
            container: ("m4a", { try Rewriting.announcingUpperBand($0, channels: 1, hasStereo: true) })),
    ]

    private static func upperBand(
        _ name: String, channels: Int = 2, isParametricStereo: Bool = false, noise: Int = 30, likeness: Double? = nil,
        container: (fileExtension: String, rewrite: (@Sendable ([UInt8]) throws -> [UInt8])?)? = nil
    ) -> Encoding {
        let band = UpperBand(channels: channels, isParametricStereo: isParametricStereo, noise: noise)
        return Encoding(
            name: name, fileExtension: "aac",
            arguments: ["-c:a", "aac", "-aac_pns", "0", "-cutoff", "7900", "-b:a", channels == 2 ? "64k" : "32k", "-f", "adts"],
            fidelity: likeness == nil ? .repeatable : .aligned,
            signal: TestSignal(sampleRate: 22_050, channelCount: channels, frameCount: 22_050 * 4),
            rewrite: { try band.added(to: $0) }, container: container, likenessOfSeeks: likeness ?? 0.97)
    }
}
