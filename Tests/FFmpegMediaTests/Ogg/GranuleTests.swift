import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

/// The positions and lengths are those of opusinfo, opusdec and oggdec, which follow RFC 7845, section 4, and Vorbis I, section A.2.
@Suite("Ogg whose audio begins at any granule position")
struct GranuleTests {
    static let frames = 6 * 48_000 + 217
    static let codecs = [("opus", "opus"), ("vorbis", "ogg")]

    private static func bytes(_ codec: (String, String), frames: Int = GranuleTests.frames) throws -> [UInt8] {
        let signal = TestSignal(sampleRate: 48_000, frameCount: frames)
        return try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "granule", codec.1, ["-c:a", "lib\(codec.0)"])))
    }

    @Test(
        "audio that begins later has the samples and the length of audio that begins at 0, wherever one seeks (R-ASSET-18)", arguments: codecs,
        [1, 64, 128, 200, 24_000, 48_000 * 86_400, 48_000 * 86_400 * 400] as [Int64])
    func shifted(_ codec: (String, String), _ shift: Int64) throws {
        let plain = try Self.bytes(codec)
        let expected = try Reading.samples(Reading.open(DurationTests.file("granule-0.\(codec.1)", plain)))
        let url = try DurationTests.file("granule-\(shift).\(codec.1)", OggPages.shifted(plain, by: shift))
        #expect(try Reading.open(url).duration == .exact(frames: Int64(Self.frames), sampleRate: 48_000))
        #expect(try SeekTests.check(url, .repeatable, count: SeekTests.few) == expected)
    }

    @Test("of a recording without its first pages, the rest is heard, with the length of the rest (RFC 7845, section 4.5)", arguments: 1...4)
    func cutOpus(_ dropped: Int) throws {
        let plain = try Self.bytes(Self.codecs[0]), pages = OggPages.split(plain)
        let url = try DurationTests.file("cut-\(dropped).opus", OggPages.shifted(plain, by: 0, dropping: dropped))
        // Two pages have the headers, and the decoder leaves out the encoder's delay (312 samples) at the start, wherever that is.
        let start = OggPages.granule(pages[1 + dropped])
        #expect(start > 0 && OggPages.granule(pages[1]) == 0)
        let length = OggPages.granule(try #require(pages.last)) - 312 - start
        #expect(try Reading.open(url).duration == .exact(frames: length, sampleRate: 48_000))
        let heard = try SeekTests.check(url, .repeatable, count: SeekTests.few)
        let whole = try Reading.samples(Reading.open(DurationTests.file("granule-0.opus", plain)))
        // The decoder has converged after a second.
        #expect(heard.count == 2 * Int(length))
        #expect(SampleComparison.difference(Array(heard[96_000...]), whole, from: whole.count - heard.count + 96_000) <= 0x1p-15)
    }

    @Test("Vorbis without its first pages begins with its second block, the first that completes samples (Vorbis I, 4.3.8)", arguments: 1...4)
    func cutVorbis(_ dropped: Int) throws {
        let plain = try Self.bytes(Self.codecs[1])
        let url = try DurationTests.file("cut-\(dropped).ogg", OggPages.shifted(plain, by: 0, dropping: dropped))
        let early = try Reading.open(url).duration
        let heard = try SeekTests.check(url, .repeatable, count: SeekTests.few)
        let whole = try Reading.samples(Reading.open(DurationTests.file("granule-0.ogg", plain)))
        #expect(early == .exact(frames: Int64(heard.count / 2), sampleRate: 48_000))
        #expect(heard.count > 48_000 && heard.count < whole.count)
        #expect(SampleComparison.difference(heard, whole, from: whole.count - heard.count) <= 0x1p-15)
    }

    @Test("Vorbis whose first page has more samples than its granule position lacks the first of them (Vorbis I, section A.2)")
    func negativeStart() throws {
        let plain = try Self.bytes(Self.codecs[1]), url = try DurationTests.file("granule-before.ogg", OggPages.shifted(plain, by: -100))
        let expected = try Reading.samples(Reading.open(DurationTests.file("granule-0.ogg", plain)))
        #expect(try Reading.open(url).duration == .exact(frames: Int64(Self.frames - 100), sampleRate: 48_000))
        #expect(try SeekTests.check(url, .repeatable, count: SeekTests.few) == Array(expected.dropFirst(200)))
    }

    @Test("audio on a single page has the samples that its granule position leaves, from the first one on", arguments: codecs)
    func singlePage(_ codec: (String, String)) throws {
        let frames = 5000, plain = try Self.bytes(codec, frames: frames), source = TestSignal(sampleRate: 48_000, frameCount: frames)
        try #require(OggPages.split(plain).count { OggPages.granule($0) > 0 } == 1)
        let url = try DurationTests.file("single.\(codec.1)", plain)
        #expect(try Reading.open(url).duration == .exact(frames: Int64(frames), sampleRate: 48_000))
        let heard = try SeekTests.check(url, .repeatable, count: SeekTests.few)
        let found = SampleComparison.alignment(heard.channel(0, of: 2), source.samples().map { Float($0) }.channel(0, of: 2), reach: 700)
        #expect(heard.count == 2 * frames && found.lag == 0 && found.likeness > 0.85, "\(found)")
        // A granule position beyond the samples leaves all of them, and nothing after them.
        let late = try DurationTests.file("single-late.\(codec.1)", OggPages.shifted(plain, by: 1_000_000))
        let early = try Reading.open(late).duration, all = try SeekTests.check(late, .repeatable, count: SeekTests.few)
        #expect(early == .exact(frames: Int64(all.count / 2), sampleRate: 48_000))
        #expect(all.count > heard.count && all.count < heard.count + 2 * 4096 && all.starts(with: heard))
    }

    @Test("an opening that is interrupted at any read is cancelled, or gives the length of the single page", arguments: codecs)
    func interrupted(_ codec: (String, String)) throws {
        let bytes = try OggPages.shifted(Self.bytes(codec, frames: 5000), by: 1_000_000), whole = CountingSource(bytes)
        let expected = try FFmpegOpener().open(whole, MediaSource(.file(path: "")), interrupt: Interrupt()).duration
        var cancelled = 0
        for number in 1...whole.reads {
            let interrupt = Interrupt(), source = CountingSource(bytes, raising: interrupt, atRead: number)
            do throws(PlaybackError) {
                let duration = try FFmpegOpener().open(source, MediaSource(.file(path: "")), interrupt: interrupt).duration
                #expect(duration == expected, "at read \(number)")
            } catch {
                #expect(error.code == .cancelled, "at read \(number): \(error)")
                cancelled += 1
            }
        }
        #expect(cancelled > 0)
    }

    @Test("an Opus file on a server that begins a day after 0 has its length, and the samples of a seek")
    func remote() throws {
        let frames = 60 * 48_000, plain = try Self.bytes(Self.codecs[0], frames: frames)
        let bytes = OggPages.shifted(plain, by: 48_000 * 86_400)
        let server = try MediaServer { _ in .bytes(bytes, ranges: true) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/late.opus"))
        #expect(reader.duration == .exact(frames: Int64(frames), sampleRate: 48_000))
        let expected = try Reading.samples(Reading.open(DurationTests.file("remote-0.opus", plain)))
        #expect(try reader.seek(to: 2_000_000, before: 0, after: 0) == 2_000_000)
        let heard = try Reading.samples(reader, limit: 4000)
        #expect(SampleComparison.difference(heard, expected, from: 4_000_000) <= 0x1p-15)
    }
}
