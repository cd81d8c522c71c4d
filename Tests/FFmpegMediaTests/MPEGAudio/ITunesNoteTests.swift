import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("MP3 files with iTunes' record of the encoder's delay")
struct ITunesNoteTests {
    private static let frames = DurationTests.signal.frameCount
    /// The delay of LAME, without that of the decoder (LAME's technical notes).
    private static let priming = 576

    /// Returns an MP3 file with the tag "iTunSMPB" in a comment, as iTunes writes it, and the file without it.
    private static func noted(_ name: String, _ arguments: [String], share: Double = 1) throws -> (noted: URL, plain: URL) {
        let options = ["-c:a", "libmp3lame", "-b:a", "128k", "-id3v2_version", "0"] + arguments
        let whole = try DurationTests.bytes("itunes-\(name)", "mp3", options), bytes = Array(whole.prefix(Int(Double(whole.count) * share)))
        func hex(_ value: Int, _ width: Int) -> String {
            let digits = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let padding = (1152 - (priming + frames) % 1152) % 1152
        let text = " 00000000 \(hex(priming, 8)) \(hex(padding, 8)) \(hex(frames, 16)) 00000000 00000000"
        let content: [UInt8] = [0] + Array("engiTunSMPB".utf8) + [0] + Array(text.utf8)
        let comment = Array("COMM".utf8) + AudioTag.big(content.count, 4) + [0, 0] + content
        return (
            try DurationTests.file("itunes-noted-\(name)-\(share).mp3", AudioTag.id3v2(3, rest: comment) + bytes),
            try DurationTests.file("itunes-plain-\(name)-\(share).mp3", bytes)
        )
    }

    @Test("without an Info tag, iTunSMPB trims the delays of encoder and decoder, and the padding")
    func withoutInfo() throws {
        let (noted, plain) = try Self.noted("bare", ["-write_xing", "0"])
        let reader = try Reading.open(noted), start = Self.priming + XingTag.decoderDelay
        #expect(reader.duration == .exact(frames: Int64(Self.frames), sampleRate: 44_100))
        #expect(reader.info.encoderDelay == start)
        let whole = try Reading.samples(Reading.open(plain))
        #expect(try SeekTests.check(noted, .repeatable, count: SeekTests.few) == whole.frames(start..<(start + Self.frames), of: 2))
    }

    @Test("a LAME tag is preferred to iTunSMPB, which says the same")
    func withInfo() throws {
        let (noted, plain) = try Self.noted("tagged", [])
        let reader = try Reading.open(noted), other = try Reading.open(plain)
        #expect(reader.duration == other.duration && reader.info.encoderPadding == other.info.encoderPadding)
        #expect(try Reading.samples(reader) == Reading.samples(other))
    }

    @Test("iTunSMPB of a longer recording, from which the file was cut, is ignored")
    func stale() throws {
        let (noted, plain) = try Self.noted("bare", ["-write_xing", "0"], share: 0.5)
        let reader = try Reading.open(noted)
        #expect(!reader.duration.isExact && reader.info.encoderDelay == 0)
        #expect(try Reading.samples(reader) == Reading.samples(Reading.open(plain)))
    }
}
