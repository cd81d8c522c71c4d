import Foundation
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia

/// A mono file of MPEG audio or ADTS of 36 seconds, whose noise is loud and almost silent in turn, so that a variable bit rate varies much.
struct LongMedium: Sendable, CustomTestStringConvertible {
    var name: String
    var fileExtension: String
    var arguments: [String]
    /// FFmpeg's filters that make the audio.
    private static let audio = "anoisesrc=d=\(LongMedium.seconds):a=0.5:seed=3:r=44100,volume='if(lt(mod(t,9),5),1,0.01)':eval=frame"
    /// Changes the bytes that ffmpeg has written.
    var rewrite: (@Sendable ([UInt8]) -> [UInt8])?
    var testDescription: String { name }

    static let bare = ["-write_xing", "0", "-id3v2_version", "0"]
    static let constant = [
        LongMedium(name: "cbr-info", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "192k"]),
        LongMedium(name: "cbr-bare", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "160k"] + bare),
        LongMedium(name: "cbr-low", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-ar", "22050", "-b:a", "160k"] + bare),
        LongMedium(name: "cbr-layer2", fileExtension: "mp2", arguments: ["-c:a", "mp2", "-b:a", "192k"]),
    ]
    static let variable = [
        LongMedium(name: "vbr-xing", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-q:a", "0"]),
        LongMedium(name: "vbr-bare", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-q:a", "0"] + bare),
        LongMedium(name: "adts", fileExtension: "aac", arguments: ["-c:a", "aac", "-aac_pns", "0", "-b:a", "192k", "-f", "adts"]),
    ]
    static let seconds = 36
    var rate: Int { arguments.contains("22050") ? 22_050 : 44_100 }

    func url() throws -> URL {
        let plain = try TestMedia.shared.file("long-\(name).\(fileExtension)") { url in
            try TestMedia.ffmpeg(["-f", "lavfi", "-i", LongMedium.audio, "-ac", "1"] + arguments + [url.path])
        }
        guard let rewrite else { return plain }
        return try TestMedia.shared.file("long-changed-\(name).\(fileExtension)") { url in
            try Data(rewrite([UInt8](Data(contentsOf: plain)))).write(to: url)
        }
    }

    /// The samples of uninterrupted reading, by the name of the medium: several tests compare with them.
    private static let decoded = Mutex<[String: [Float]]>([:])

    /// Returns the samples of uninterrupted reading.
    func samples() throws -> [Float] {
        if let samples = LongMedium.decoded.withLock({ $0[name] }) { return samples }
        let samples = try Reading.samples(Reading.open(url()))
        LongMedium.decoded.withLock { $0[name] = samples }
        return samples
    }

    func bytes() throws -> [UInt8] { try [UInt8](Data(contentsOf: url())) }

    /// Returns a reader of the medium on a server that the test controls.
    func remote(_ bytes: [UInt8]? = nil) throws -> (source: ScriptedRemote, reader: FFmpegReader) {
        try LongMedium.remote(bytes ?? self.bytes())
    }

    /// Returns a reader of a medium with these bytes on a server that the test controls.
    static func remote(_ bytes: [UInt8]) throws -> (source: ScriptedRemote, reader: FFmpegReader) {
        let source = ScriptedRemote(bytes)
        source.blockSize = 16_384
        let reader = try FFmpegOpener().open(source, MediaSource(.remote(url: "")), interrupt: Interrupt())
        reader.allowEstimates()
        return (source, reader)
    }

    /// Inserts `inserted` before the frame with the number `number` of MPEG audio without a tag at its start.
    static func inserting(_ inserted: [UInt8], beforeFrame number: Int, of bytes: [UInt8]) -> [UInt8] {
        var at = 0
        for _ in 0..<number {
            at += bytes[at...].prefix(4).withContiguousStorageIfAvailable { MPEGAudioHeader($0)?.frameSize ?? 0 } ?? 0
        }
        return Array(bytes[..<at]) + inserted + Array(bytes[at...])
    }
}
