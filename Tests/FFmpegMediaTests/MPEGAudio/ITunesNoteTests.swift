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

    /// Adds the tag "iTunSMPB" to MP3, in a comment, as iTunes writes it.
    private static func noted(_ bytes: [UInt8], samples: Int) -> [UInt8] {
        func hex(_ value: Int, _ width: Int) -> String {
            let digits = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let padding = (1152 - (priming + samples) % 1152) % 1152
        let text = " 00000000 \(hex(priming, 8)) \(hex(padding, 8)) \(hex(samples, 16)) 00000000 00000000"
        let content: [UInt8] = [0] + Array("engiTunSMPB".utf8) + [0] + Array(text.utf8)
        return AudioTag.id3v2(3, rest: Array("COMM".utf8) + AudioTag.big(content.count, 4) + [0, 0] + content) + bytes
    }

    /// Returns an MP3 file with the tag "iTunSMPB", and the file without it.
    private static func noted(_ name: String, _ arguments: [String], share: Double = 1) throws -> (noted: URL, plain: URL) {
        let options = ["-c:a", "libmp3lame", "-b:a", "128k", "-id3v2_version", "0"] + arguments
        let whole = try DurationTests.bytes("itunes-\(name)", "mp3", options), bytes = Array(whole.prefix(Int(Double(whole.count) * share)))
        return (
            try DurationTests.file("itunes-noted-\(name)-\(share).mp3", noted(bytes, samples: frames)),
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

    @Test("iTunSMPB of a recording to which another one was appended is ignored")
    func joined() throws {
        let bytes = try LongMedium.constant[1].bytes(), joined = bytes + bytes.prefix(bytes.count * 2 / 5)
        let samples = try LongMedium.constant[1].samples().count - Self.priming - XingTag.decoderDelay
        let reader = try Reading.open(DurationTests.file("itunes-noted-joined.mp3", Self.noted(joined, samples: samples)))
        #expect(!reader.duration.isExact && reader.info.encoderDelay == 0)
        #expect(try Reading.samples(reader) == Reading.samples(Reading.open(DurationTests.file("itunes-plain-joined.mp3", joined))))
    }

    @Test("iTunSMPB that the length of a remote medium contradicts is ignored", arguments: [1, 1_000_000_000])
    func remote(_ samples: Int) throws {
        let medium = LongMedium.constant[1]
        let reader = try LongMedium.remote(Self.noted(medium.bytes(), samples: samples)).reader
        #expect(reader.info.encoderDelay == 0)
        #expect(try Reading.samples(reader) == medium.samples())
    }

    @Test("iTunSMPB that states a few seconds too few does not end the audio (R-ASSET-17)", arguments: [true, false])
    func tooFewSamples(_ isRemote: Bool) throws {
        let medium = LongMedium.constant[1], start = Self.priming + XingTag.decoderDelay, whole = try medium.samples().dropFirst(start)
        let bytes = try Self.noted(medium.bytes(), samples: whole.count - 60 * 1152)
        let reader: any AudioReader =
            isRemote ? try LongMedium.remote(bytes).reader : try Reading.open(DurationTests.file("itunes-few.mp3", bytes))
        #expect(reader.duration == .exact(frames: Int64(whole.count - 60 * 1152), sampleRate: medium.rate))
        #expect(reader.info.encoderDelay == start)
        let heard = try Reading.samples(reader)
        #expect(heard == Array(whole) && reader.duration == .exact(frames: Int64(heard.count), sampleRate: medium.rate))
    }
}
