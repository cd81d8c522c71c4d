import Foundation
import PlaybackTesting
import Testing

/// A way to encode the test signal, and the accuracy that is expected of seeks in the encoded file.
struct Encoding: Sendable, CustomTestStringConvertible {
    /// How exactly the samples after a seek agree with those of uninterrupted reading.
    enum Fidelity: Sendable {
        /// The samples are exactly those of the source.
        case lossless
        /// The samples after a seek are equal to those of uninterrupted reading. Both may differ from the source, because the codec is lossy.
        case repeatable
        /// The samples have the same positions as in uninterrupted reading, but not the same values, because the decoder adds random noise.
        case aligned
    }
    var name: String
    var fileExtension: String
    var arguments: [String]
    var fidelity: Fidelity
    var signal = TestSignal(frameCount: 44_100 * 2 + 345)
    var bits = 16
    /// Changes the bytes of the file that ffmpeg has written, for variants that ffmpeg cannot write; nil changes nothing.
    var rewrite: (@Sendable ([UInt8]) throws -> [UInt8])?
    /// The container into which the packets are then copied, by its file extension, and a change of the copy's bytes; nil means that they are not
    /// copied.
    var container: (fileExtension: String, rewrite: (@Sendable ([UInt8]) throws -> [UInt8])?)?
    /// The numbers of padding frames before and after the recording that the encoder adds and the format cannot mark, so that they are played.
    var untold: (before: Int, after: Int)?
    /// The lowest accepted correlation of the decoded samples with the source.
    var likeness = 0.93

    /// The lowest accepted correlation of the samples after a seek with those of uninterrupted reading, if `fidelity` is `aligned`.
    var likenessOfSeeks = 0.97

    var testDescription: String { name }

    func file() throws -> URL {
        if arguments.isEmpty { return try TestMedia.shared.wave(signal, bits: bits) }
        let plain = try TestMedia.shared.encoded(signal, bits: bits, as: name, fileExtension, arguments)
        let rewritten = try Encoding.rewritten(plain, "rewritten", rewrite)
        guard let container else { return rewritten }
        let name = rewritten.deletingPathExtension().lastPathComponent
        let copied = try TestMedia.shared.file("\(name).\(container.fileExtension)") { url in
            try TestMedia.ffmpeg(["-i", rewritten.path, "-c", "copy", url.path])
        }
        return try Encoding.rewritten(copied, "announced", container.rewrite)
    }

    private static func rewritten(_ url: URL, _ prefix: String, _ rewrite: (([UInt8]) throws -> [UInt8])?) throws -> URL {
        guard let rewrite else { return url }
        return try TestMedia.shared.file("\(prefix)-\(url.lastPathComponent)") { new in
            try Data(rewrite([UInt8](Data(contentsOf: url)))).write(to: new)
        }
    }
}

extension Encoding {
    static let all: [Encoding] = lossless + lossy

    static let lossless: [Encoding] = [
        Encoding(name: "wav", fileExtension: "wav", arguments: [], fidelity: .lossless),
        Encoding(name: "flac", fileExtension: "flac", arguments: ["-c:a", "flac"], fidelity: .lossless),
        Encoding(name: "aiff", fileExtension: "aiff", arguments: ["-c:a", "pcm_s16be"], fidelity: .lossless),
        Encoding(name: "alac", fileExtension: "m4a", arguments: ["-c:a", "alac"], fidelity: .lossless),
        Encoding(name: "wavpack", fileExtension: "wv", arguments: ["-c:a", "wavpack"], fidelity: .lossless),
        Encoding(name: "flac-matroska", fileExtension: "mka", arguments: ["-c:a", "flac"], fidelity: .lossless),
        Encoding(name: "flac-ogg", fileExtension: "oga", arguments: ["-c:a", "flac"], fidelity: .lossless),
        Encoding(name: "caf-pcm", fileExtension: "caf", arguments: ["-c:a", "pcm_s16le"], fidelity: .lossless),
        Encoding(name: "caf-alac", fileExtension: "caf", arguments: ["-c:a", "alac"], fidelity: .lossless),
        Encoding(name: "tta", fileExtension: "tta", arguments: ["-c:a", "tta"], fidelity: .lossless),
    ]

    static let lossy: [Encoding] = [
        Encoding(name: "mp3-cbr", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "128k"], fidelity: .repeatable),
        Encoding(name: "mp3-vbr", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-q:a", "2"], fidelity: .repeatable),
        Encoding(
            name: "mp3-noxing", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-q:a", "2", "-write_xing", "0", "-id3v2_version", "0"],
            fidelity: .repeatable, untold: (1105, 0)),
        Encoding(name: "aac-mp4", fileExtension: "m4a", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "160k"], fidelity: .repeatable),
        Encoding(
            name: "aac-adts", fileExtension: "aac", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "160k", "-f", "adts"], fidelity: .repeatable,
            untold: (1024, 0)),
        Encoding(
            name: "aac-ts", fileExtension: "ts", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "160k", "-f", "mpegts"], fidelity: .repeatable,
            untold: (1024, 0)),
        Encoding(
            name: "aac-caf", fileExtension: "aac", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "160k", "-f", "adts"], fidelity: .repeatable,
            rewrite: { try Rewriting.coreAudio($0, priming: 1024, valid: 44_100 * 2 + 345) }),
        Encoding(name: "vorbis", fileExtension: "ogg", arguments: ["-c:a", "libvorbis", "-q:a", "5"], fidelity: .repeatable),
        Encoding(
            name: "opus", fileExtension: "opus", arguments: ["-c:a", "libopus", "-b:a", "128k"], fidelity: .repeatable,
            signal: TestSignal(sampleRate: 48_000, frameCount: 48_000 * 2 + 345)),
        Encoding(
            name: "ac3", fileExtension: "ac3", arguments: ["-c:a", "ac3", "-b:a", "256k"], fidelity: .aligned,
            signal: TestSignal(sampleRate: 48_000, frameCount: 48_000 * 2 + 345), untold: (256, 0)),
        Encoding(name: "wma", fileExtension: "wma", arguments: ["-c:a", "wmav2", "-b:a", "160k"], fidelity: .repeatable, untold: (0, 0)),
    ]
}
