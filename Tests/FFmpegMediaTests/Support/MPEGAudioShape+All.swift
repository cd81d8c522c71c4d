import Foundation

extension MPEGAudioShape {
    static let all: [MPEGAudioShape] = [encodings, counts, before, after, unknown, cut, joined, advanced].flatMap { $0 }

    /// The layers, versions, rates, channels and bit rates of MPEG audio.
    private static let encodings: [MPEGAudioShape] = [
        MPEGAudioShape("layer 3 at 44.1 kHz has a constant bit rate by padding some frames", bytes: bare),
        MPEGAudioShape("layer 3 at 48 kHz has a constant bit rate without padding") { try lame("48k", rate: 48_000, ["-b:a", "128k"] + noTag) },
        MPEGAudioShape("layer 3 at 32 kHz is MPEG-1") { try lame("32k", rate: 32_000, ["-b:a", "96k"] + noTag) },
        MPEGAudioShape("layer 3 of 320 kbit/s has the largest frames") { try lame("320", ["-b:a", "320k"] + noTag) },
        MPEGAudioShape("mono layer 3 has a shorter side information") { try lame("mono", channels: 1, ["-b:a", "48k"]) },
        MPEGAudioShape("joint stereo changes its mode between frames") { try lame("joint", ["-b:a", "96k", "-joint_stereo", "1"]) },
        MPEGAudioShape("plain stereo has two independent channels") { try lame("stereo", ["-b:a", "192k", "-joint_stereo", "0"]) },
        MPEGAudioShape("an Info tag's gapless fields trim the encoder's padding at both ends", bytes: info),
        MPEGAudioShape("a Xing tag's gapless fields trim a variable bit rate", bytes: xing),
        MPEGAudioShape("a variable bit rate without a tag keeps the encoder's padding") { try lame("vbr-bare", ["-q:a", "4"] + noTag) },
        MPEGAudioShape("an average bit rate varies around it") { try lame("abr", ["-abr", "1", "-b:a", "160k"]) },
        MPEGAudioShape("a VBRI tag is no audio, and states no padding") { try Rewriting.vbri(lame("vbr-bare", ["-q:a", "4"] + noTag)) },
        MPEGAudioShape("frames of MPEG-2 at 22.05 kHz have 576 samples") { try lame("22k", rate: 22_050, ["-b:a", "64k"] + noTag) },
        MPEGAudioShape("MPEG-2 at 24 kHz has gapless fields too") { try lame("24k", rate: 24_000, ["-q:a", "4"]) },
        MPEGAudioShape("MPEG-2 at 16 kHz may have one channel") { try lame("16k", rate: 16_000, channels: 1, ["-b:a", "32k"]) },
        MPEGAudioShape("MPEG-2.5 at 8 kHz has another sync word") { try lame("8k", rate: 8000, channels: 1, ["-b:a", "16k"]) },
        MPEGAudioShape("MPEG-2.5 at 11.025 kHz pads some frames") { try lame("11k", rate: 11_025, channels: 1, ["-b:a", "24k"] + noTag) },
        MPEGAudioShape("MPEG-2.5 at 12 kHz has a variable bit rate") { try lame("12k", rate: 12_000, ["-q:a", "5"]) },
        MPEGAudioShape("layer 2 has no reservoir of bits") { try encoded("layer2", "mp2", ["-c:a", "mp2", "-b:a", "192k"]) },
        MPEGAudioShape("layer 2 at 48 kHz needs no padding, and may have one channel") {
            try encoded("layer2-mono", "mp2", rate: 48_000, channels: 1, ["-c:a", "mp2", "-b:a", "64k"])
        },
        MPEGAudioShape("layer 2 of MPEG-2 keeps 1,152 samples in a frame") {
            try encoded("layer2-22k", "mp2", rate: 22_050, ["-c:a", "mp2", "-b:a", "96k"])
        },
        MPEGAudioShape("a checksum follows the header of layer 2") {
            try encoded("layer2-crc", "mp2", ["-c:a", "libtwolame", "-b:a", "160k", "-error_protection", "1"])
        },
        MPEGAudioShape("frames of layer 1 have 384 samples") { layerOne(hasChecksum: false) },
        MPEGAudioShape("a checksum follows the header of layer 1") { layerOne(hasChecksum: true) },
        MPEGAudioShape("MP3 in RIFF has the format 0x55", "wav") { try encoded("riff", "wav", ["-c:a", "libmp3lame", "-b:a", "128k"]) },
    ]

    /// Xing and Info tags that contradict the audio.
    private static let counts: [MPEGAudioShape] = [
        // FFmpeg removes the padding where such a tag states the end, and continues. A tag without a count has no end.
        MPEGAudioShape(
            "a tag with half the frames does not end the audio (R-ASSET-17)", "mp3", .decode(of: { try counting(info()) { _ in 0 } }),
            bytes: { try counting(info()) { $0 / 2 } }),
        MPEGAudioShape("a tag with twice the frames adds no audio") { try counting(info()) { 2 * $0 } },
        MPEGAudioShape("a tag with 0 frames states no length") { try counting(info()) { _ in 0 } },
        MPEGAudioShape("a table that goes backwards does not change positions") {
            try retagged(xing()) { bytes, at in
                bytes.replaceSubrange((at + 16)..<(at + 116), with: bytes[(at + 16)..<(at + 116)].reversed())
            }
        },
        MPEGAudioShape("the tag of a longer file does not lengthen the audio") {
            try retagged(counting(info()) { $0 * 3 / 2 }) { bytes, at in
                let size = bytes[(at + 12)..<(at + 16)].reduce(0) { $0 << 8 | Int($1) }
                bytes.replaceSubrange((at + 12)..<(at + 16), with: AudioTag.big(size * 3 / 2, 4))
            }
        },
        MPEGAudioShape("an Info tag on a variable bit rate does not make it constant") {
            try retagged(xing()) { bytes, at in bytes.replaceSubrange(at..<(at + 4), with: "Info".utf8) }
        },
        MPEGAudioShape("gapless fields of an unknown encoder are not used") {
            try retagged(info()) { bytes, at in bytes.replaceSubrange((at + 120)..<(at + 124), with: "ABCD".utf8) }
        },
        MPEGAudioShape("gapless fields of 0 trim the decoder's delay only") {
            try retagged(info()) { bytes, at in bytes.replaceSubrange((at + 141)..<(at + 144), with: [0, 0, 0]) }
        },
    ]

    /// Tags before the audio.
    private static let before: [MPEGAudioShape] = [
        MPEGAudioShape("an ID3v2.2 tag before the audio is no audio") { try AudioTag.id3v2(2) + bare() },
        MPEGAudioShape("an ID3v2.3 tag before an Info tag is no audio") { try AudioTag.id3v2(3) + info() },
        MPEGAudioShape("an ID3v2.4 tag before the audio is no audio") { try AudioTag.id3v2(4) + bare() },
        MPEGAudioShape("the second of two ID3v2 tags is no audio") { try AudioTag.id3v2(3) + AudioTag.id3v2(4) + info() },
        MPEGAudioShape("the footer of an ID3v2.4 tag is not counted in its size") { try AudioTag.id3v2(4, flags: 0x10) + info() },
        MPEGAudioShape("the padding of an ID3v2 tag is no audio") { try AudioTag.id3v2(rest: [UInt8](repeating: 0, count: 5000)) + info() },
        MPEGAudioShape("an unsynchronised ID3v2 tag has zeros after bytes of 255") {
            try AudioTag.id3v2(3, flags: 0x80, rest: AudioTag.unsynchronised) + bare()
        },
        MPEGAudioShape("headers of MPEG audio in a picture are no audio") { try AudioTag.id3v2(3, rest: AudioTag.picture) + bare() },
        MPEGAudioShape("the part of an ID3v2 tag after its stated end is skipped") {
            try AudioTag.id3v2(rest: [UInt8](repeating: 1, count: 600), excess: -500) + bare()
        },
        MPEGAudioShape("an ID3v2 tag that states 500 bytes too many covers the first frames") { try AudioTag.id3v2(excess: 500) + bare() },
        MPEGAudioShape("an APEv2 tag before the audio is no audio") { try AudioTag.ape(2000) + bare() },
    ]

    /// Tags after the audio.
    private static let after: [MPEGAudioShape] = [
        MPEGAudioShape("an ID3v1 tag after the audio is no audio") { try bare() + AudioTag.id3v1 },
        MPEGAudioShape("an enhanced ID3v1 tag after the audio is no audio") { try bare() + AudioTag.id3v1Enhanced },
        MPEGAudioShape("an APEv1 tag after the audio is no audio") { try bare() + AudioTag.ape(1000) },
        MPEGAudioShape("an APEv2 tag after a file with an Info tag is no audio") { try info() + AudioTag.ape(2000) },
        MPEGAudioShape("a Lyrics3v1 tag after the audio is no audio") { try bare() + AudioTag.lyrics1 },
        MPEGAudioShape("a Lyrics3v2 tag after the audio is no audio") { try xing() + AudioTag.lyrics2 },
        MPEGAudioShape("tags of four kinds around the audio are no audio") {
            try AudioTag.id3v2() + bare() + AudioTag.ape(2000) + AudioTag.lyrics2
        },
        MPEGAudioShape("an ID3v2 tag after the audio is no audio") { try bare() + AudioTag.id3v2() },
    ]

    /// Unknown bytes.
    private static let unknown: [MPEGAudioShape] = [
        [
            MPEGAudioShape("zeros before the audio are skipped") { try [UInt8](repeating: 0, count: 5000) + bare() },
            MPEGAudioShape("zeros after the audio are no audio") { try bare() + [UInt8](repeating: 0, count: 20_000) },
        ], unknownBytes(1), unknownBytes(100), unknownBytes(10_000),
    ].flatMap { $0 }

    private static func unknownBytes(_ count: Int) -> [MPEGAudioShape] {
        [
            MPEGAudioShape("\(count) unknown bytes before the audio are skipped") { try junk(count) + bare() },
            MPEGAudioShape(
                "\(count) unknown bytes inside the audio become silence of their length", "mp3", .silence(frames: lost(count), at: 50 * 1152),
                bytes: { try inserting(junk(count), beforeFrame: 50) }),
            MPEGAudioShape("\(count) unknown bytes after the audio are no audio") { try bare() + junk(count) },
        ]
    }

    /// Frames that are missing or incomplete.
    private static let cut: [MPEGAudioShape] = [
        MPEGAudioShape("a first frame without its start is no frame") { try Array(bare().dropFirst(100)) },
        MPEGAudioShape("a last frame of MPEG audio without its end is decoded") {
            let bytes = try bare()
            return Array(bytes[..<(offset(ofFrame: 100, in: bytes) + 200)])
        },
        MPEGAudioShape("a frame and a part of the second one are audio") {
            let bytes = try bare()
            return Array(bytes[..<(offset(ofFrame: 1, in: bytes) + 100)])
        },
        MPEGAudioShape("frames that are removed leave no gap") {
            let bytes = try bare()
            return Array(bytes[..<offset(ofFrame: 60, in: bytes)]) + Array(bytes[offset(ofFrame: 70, in: bytes)...])
        },
        MPEGAudioShape("a file that ends early has the audio that it has, whatever its tag states") {
            let bytes = try info()
            return Array(bytes[..<offset(ofFrame: 100, in: bytes)])
        },
        MPEGAudioShape("zeros up to the stated end of an unfinished download are no audio") {
            let bytes = try info(), end = offset(ofFrame: 100, in: bytes)
            return Array(bytes[..<end]) + [UInt8](repeating: 0, count: bytes.count - end)
        },
    ]

    /// Joined files.
    private static let joined: [MPEGAudioShape] = [
        MPEGAudioShape("two files without tags follow each other") { try bare() + lame("320", ["-b:a", "320k"] + noTag) },
        MPEGAudioShape(
            "the tag of the first of two joined files does not end the audio", "mp3", .decode(of: { try counting(info()) { _ in 0 } + info() }),
            bytes: { try info() + info() }),
        MPEGAudioShape(
            "an ID3v2 tag between two files becomes silence of its length", "mp3", .silence(frames: lost(2100), at: bareLength),
            bytes: { try bare() + AudioTag.id3v2(rest: [UInt8](repeating: 0, count: 2100 - AudioTag.id3v2().count)) + bare() }),
        MPEGAudioShape(
            "an ID3v1 tag between two files takes the next frame with it", "mp3", .silence(frames: lost(128), at: bareLength),
            bytes: { try bare() + AudioTag.id3v1 + bare() }),
        MPEGAudioShape(
            "a second file of another rate keeps its duration", "mp3",
            .parts([Part(bytes: bare), Part(rate: 48_000, bytes: { try lame("48k", rate: 48_000, ["-b:a", "128k"] + noTag) })]),
            bytes: { try bare() + lame("48k", rate: 48_000, ["-b:a", "128k"] + noTag) }),
        MPEGAudioShape(
            "a second file of MPEG-2 keeps its duration", "mp3",
            .parts([Part(bytes: bare), Part(rate: 22_050, bytes: { try lame("22k", rate: 22_050, ["-b:a", "64k"] + noTag) })]),
            bytes: { try bare() + lame("22k", rate: 22_050, ["-b:a", "64k"] + noTag) }),
        MPEGAudioShape(
            "a second file of one channel keeps its duration", "mp3",
            .parts([Part(bytes: bare), Part(channels: 1, bytes: { try lame("mono-bare", channels: 1, ["-b:a", "64k"] + noTag) })]),
            bytes: { try bare() + lame("mono-bare", channels: 1, ["-b:a", "64k"] + noTag) }),
        MPEGAudioShape("layer 2 after layer 3 is decoded") { try bare() + encoded("layer2", "mp2", ["-c:a", "mp2", "-b:a", "192k"]) },
    ]
    /// The number of samples of each channel in `bare`: 4.1 s at 44.1 kHz after the encoder's delay, in whole frames.
    private static let bareLength = 158 * 1152

    /// ADTS.
    private static let advanced: [MPEGAudioShape] = [
        MPEGAudioShape("ADTS of two channels has its own lengths of frames", "aac", bytes: plainADTS),
        MPEGAudioShape("the header of ADTS states one channel at 22.05 kHz", "aac") { try adts("adts-22k", rate: 22_050, channels: 1, "48k") },
        MPEGAudioShape("the header of ADTS states 48 kHz", "aac") { try adts("adts-48k", rate: 48_000, "160k") },
        MPEGAudioShape("the header of ADTS states 8 kHz", "aac") { try adts("adts-8k", rate: 8000, channels: 1, "16k") },
        MPEGAudioShape("a checksum follows the header of ADTS", "aac") { try withChecksums(plainADTS()) },
        MPEGAudioShape("an ID3v2 tag before ADTS is no audio", "aac") { try AudioTag.id3v2() + plainADTS() },
        MPEGAudioShape("an ID3v1 tag after ADTS is no audio", "aac") { try plainADTS() + AudioTag.id3v1 },
        MPEGAudioShape("unknown bytes before ADTS are skipped", "aac") { try junk(100) + plainADTS() },
        MPEGAudioShape("unknown bytes inside ADTS are skipped", "aac") {
            let bytes = try plainADTS(), at = offsets(adts: bytes)[60]
            return Array(bytes[..<at]) + junk(1000) + Array(bytes[at...])
        },
        MPEGAudioShape("zeros after ADTS are no audio", "aac") { try plainADTS() + [UInt8](repeating: 0, count: 5000) },
        MPEGAudioShape("a first frame of ADTS without its start is no frame", "aac") { try Array(plainADTS().dropFirst(50)) },
        MPEGAudioShape("frames of ADTS that are removed leave no gap", "aac") {
            let bytes = try plainADTS(), starts = offsets(adts: bytes)
            return Array(bytes[..<starts[60]]) + Array(bytes[starts[70]...])
        },
        MPEGAudioShape("two files of ADTS follow each other", "aac") { try plainADTS() + adts("adts-low", "64k") },
        MPEGAudioShape("an ID3v2 tag between two files of ADTS is no audio", "aac") { try plainADTS() + AudioTag.id3v2() + plainADTS() },
        MPEGAudioShape("HE-AAC has twice the rate that ADTS states", "aac") { try upperBand("he-aac-v1-adts") },
        MPEGAudioShape("HE-AAC v2 has two channels although ADTS states one", "aac") { try upperBand("he-aac-v2-adts") },
    ]

    private static func upperBand(_ name: String) throws -> [UInt8] {
        guard let encoding = Encoding.upperBands.first(where: { $0.name == name }) else { throw Rewriting.Failure() }
        return try [UInt8](Data(contentsOf: encoding.file()))
    }
}
