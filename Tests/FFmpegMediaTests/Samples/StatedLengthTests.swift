import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Stated lengths")
struct StatedLengthTests {
    static let signal = DurationTests.signal
    static let arguments = [
        "flac": ["-c:a", "flac"], "tta": ["-c:a", "tta"], "wv": ["-c:a", "wavpack"], "aiff": ["-c:a", "pcm_s16be"], "caf": ["-c:a", "pcm_s16le"],
        "w64": ["-c:a", "pcm_s16le"], "au": ["-c:a", "pcm_s16be"], "m4a": ["-c:a", "alac", "-movflags", "+faststart"],
    ]
    static func bytes(_ kind: String) throws -> [UInt8] { try DurationTests.bytes("stated", kind, arguments[kind] ?? []) }

    @Test("a truncated download has the length of its data, exact only if certain (R-ASSET-18)", arguments: arguments.keys.sorted())
    func brokenOff(_ kind: String) throws {
        let whole = try StatedLengthTests.bytes(kind)
        let reader = try Reading.open(DurationTests.file("broken-off.\(kind)", Array(whole.prefix(whole.count / 2))))
        let early = reader.duration
        let heard = try Reading.samples(reader).count / 2
        #expect(heard > StatedLengthTests.signal.frameCount / 5 && heard < StatedLengthTests.signal.frameCount * 3 / 4)
        #expect(!early.isExact || early == .exact(frames: Int64(heard), sampleRate: 44_100), "\(early), \(heard)")
        // A TTA frame contains a second of audio. So the estimate may be wrong by the truncated frame, up to a second, until that frame is read.
        #expect(abs((early.seconds ?? 0) - Double(heard) / 44_100) < (kind == "tta" ? 1.05 : 0.2), "\(early), \(heard)")
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }

    @Test("a duration of a truncated file that is exact at the opening is the one that reading gives (R-ASSET-18)", arguments: Encoding.all)
    func truncated(_ encoding: Encoding) throws {
        let whole = try [UInt8](Data(contentsOf: encoding.file()))
        let cuts = ["aac-caf", "caf-alac"].contains(encoding.name) ? [whole.count * 7 / 10] : [whole.count * 7 / 10, whole.count - 10]
        for count in cuts {
            let url = try DurationTests.file("truncated-\(count)-\(encoding.name).\(encoding.fileExtension)", Array(whole.prefix(count)))
            // MP4 with its header at the end cannot be opened.
            guard let reader = try? Reading.open(url) else { continue }
            let early = reader.duration, heard = try Reading.samples(reader).count / reader.info.format.channelCount
            let exact = MediaDuration.exact(frames: Int64(heard), sampleRate: reader.info.format.sampleRate)
            #expect(!early.isExact || early == exact, "\(count): \(early), \(heard)")
        }
    }

    @Test("a medium truncated anywhere is opened or refused, and never estimated as empty", arguments: arguments.keys.sorted())
    func brokenOffAnywhere(_ kind: String) throws {
        let whole = try StatedLengthTests.bytes(kind)
        for place in stride(from: 64, to: min(whole.count, 24_000), by: 401) {
            guard let reader = try? Reading.open(DurationTests.file("broken-off-\(place).\(kind)", Array(whole.prefix(place)))) else { continue }
            if case .estimated(let frames, _) = reader.duration { #expect(frames > 0, "after \(place) bytes") }
        }
    }

    @Test(
        "a complete file has its stated length exactly at open, with or without a final tag", arguments: ["aiff", "au", "flac", "m4a", "tta", "wv"])
    func whole(_ kind: String) throws {
        let whole = try StatedLengthTests.bytes(kind)
        for tag in [[], Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)] {
            let reader = try Reading.open(DurationTests.file("whole-\(tag.count).\(kind)", whole + tag))
            #expect(reader.duration == .exact(frames: Int64(StatedLengthTests.signal.frameCount), sampleRate: 44_100))
        }
    }

    @Test(
        "for codecs that store differences, no wrong length is exact",
        arguments: [("adpcm_yamaha", "wav"), ("g722", "wav"), ("g722", "au"), ("dfpwm", "wav"), ("tta", "mka")])
    func differences(_ codec: String, _ kind: String) throws {
        let url = try TestMedia.shared.encoded(
            TestSignal(sampleRate: 16_000, channelCount: 1, frameCount: 50_001), as: "differences-\(codec)", kind, ["-c:a", codec])
        let reader = try Reading.open(url)
        let early = reader.duration
        let heard = try Reading.samples(reader).count
        // The last bytes of the file may give a few samples more than were encoded.
        #expect((50_001..<50_001 + 2048).contains(heard))
        #expect(!early.isExact || early == .exact(frames: Int64(heard), sampleRate: 16_000), "\(early), \(heard)")
        #expect(abs((early.seconds ?? 0) - Double(heard) / 16_000) < 0.1, "\(early), \(heard)")
        #expect(try Reading.open(url, precise: true).duration == .exact(frames: Int64(heard), sampleRate: 16_000))
    }

    @Test("truncated FLAC in Matroska has no exact length before it is measured", arguments: [0.5, 0.9])
    func brokenMatroska(_ share: Double) throws {
        let whole = try DurationTests.bytes("broken", "mka", ["-c:a", "flac"])
        let url = try DurationTests.file("broken-\(share).mka", Array(whole.prefix(Int(Double(whole.count) * share))))
        let reader = try Reading.open(url)
        #expect(!reader.duration.isExact)
        let heard = try Reading.samples(reader).count / 2
        #expect(heard > StatedLengthTests.signal.frameCount / 4 && heard < StatedLengthTests.signal.frameCount)
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
        #expect(try Reading.open(url, precise: true).duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }

    @Test("FLAC that was cut without decoding, in Matroska, has the length of its part")
    func cutMatroska() throws {
        let whole = try TestMedia.shared.encoded(StatedLengthTests.signal, as: "uncut", "flac", ["-c:a", "flac"])
        let url = try TestMedia.shared.file("cut-part.mka") { try TestMedia.ffmpeg(["-i", whole.path, "-t", "1.5", "-c", "copy", $0.path]) }
        let reader = try Reading.open(url)
        let early = reader.duration
        let heard = try Reading.samples(reader).count / 2
        #expect(!early.isExact && abs((early.seconds ?? 0) - 1.5) < 0.2, "\(early), \(heard)")
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }

    @Test("complete FLAC in Matroska has its length, exactly after it was measured", arguments: [false, true])
    func wholeMatroska(_ hasPictures: Bool) throws {
        let pictures = ["-f", "lavfi", "-i", "testsrc=d=4:s=64x64:r=10", "-map", "0:a", "-map", "1:v", "-c:v", "mpeg4"]
        let url = try TestMedia.shared.encoded(
            StatedLengthTests.signal, as: "whole-\(hasPictures)", "mkv", (hasPictures ? pictures : []) + ["-c:a", "flac"])
        #expect(try !Reading.open(url).duration.isExact)
        #expect(try Reading.open(url, precise: true).duration == .exact(frames: Int64(StatedLengthTests.signal.frameCount), sampleRate: 44_100))
    }

    @Test("all frames of a FLAC file are heard, whatever its header states, and then its length is exact", arguments: [0.5, 0.9, 2, 1e6])
    func streamInfo(_ factor: Double) throws {
        var bytes = try StatedLengthTests.bytes("flac")
        let total = min(1 << 36 - 1, Int(Double(StatedLengthTests.signal.frameCount) * factor))
        bytes[21] = bytes[21] & 0xF0 | UInt8(total >> 32)
        for (index, place) in (22...25).enumerated() { bytes[place] = UInt8(total >> (24 - 8 * index) & 0xFF) }
        let reader = try Reading.open(DurationTests.file("stream-info-\(factor).flac", bytes))
        #expect(try Reading.samples(reader).count == 2 * StatedLengthTests.signal.frameCount)
        #expect(reader.duration == .exact(frames: Int64(StatedLengthTests.signal.frameCount), sampleRate: 44_100))
    }

    static let tagged = [("cbr", ["-c:a", "libmp3lame", "-b:a", "128k"]), ("vbr", ["-c:a", "libmp3lame", "-q:a", "4"])]
    /// Returns the bytes of an MP3 file whose tag states `factor` times the actual number of frames.
    static func retagged(_ name: String, _ arguments: [String], _ factor: Double) throws -> [UInt8] {
        var bytes = try DurationTests.bytes("tagged-\(name)", "mp3", arguments)
        let names = [Array("Xing".utf8), Array("Info".utf8)]
        let place = try #require(bytes.indices.prefix(4096).first { names.contains(Array(bytes[$0..<$0 + 4])) }) + 8
        let frames = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        let stated = min(0x7FFF_FFFF, Int(Double(frames) * factor))
        for index in 0..<4 { bytes[place + index] = UInt8(stated >> (24 - 8 * index) & 0xFF) }
        return bytes
    }

    @Test("an MP3 tag's frame count is used only if it fits the file; otherwise all frames are heard", arguments: tagged, [0.5, 2, 1e9])
    func falseTag(_ kind: (String, [String]), _ factor: Double) throws {
        let reader = try Reading.open(
            DurationTests.file("false-tag-\(kind.0)-\(factor).mp3", StatedLengthTests.retagged(kind.0, kind.1, factor)))
        let early = reader.duration
        #expect(!early.isExact && abs((early.seconds ?? 0) - (Double(StatedLengthTests.signal.frameCount) / 44_100)) < 0.5, "\(early)")
        let heard = try Reading.samples(reader)
        let honest = try Reading.samples(Reading.open(DurationTests.file("true-tag-\(kind.0).mp3", StatedLengthTests.retagged(kind.0, kind.1, 1))))
        #expect(honest.count >= 2 * StatedLengthTests.signal.frameCount && honest.count < 2 * StatedLengthTests.signal.frameCount + 100)
        #expect(heard.starts(with: honest) && heard.count < honest.count + 2 * 2304)
        #expect(reader.duration == .exact(frames: Int64(heard.count / 2), sampleRate: 44_100))
    }

    @Test("an MP3 tag is used even if the bit rate varies much", arguments: ["lt(t,2)", "gt(t,1)", "between(t,1,2)"])
    func quietParts(_ quiet: String) throws {
        let arguments = ["-af", "volume=enable='\(quiet)':volume=0", "-c:a", "libmp3lame", "-q:a", "0"]
        let reader = try Reading.open(DurationTests.file("quiet-\(quiet).mp3", DurationTests.bytes("quiet-\(quiet)", "mp3", arguments)))
        // The length may differ by a few samples, because the encoder's tag cannot state every length exactly.
        #expect(reader.duration.isExact && abs((reader.duration.seconds ?? 0) - Double(StatedLengthTests.signal.frameCount) / 44_100) < 0.001)
    }

    @Test("an impossible length of a remote medium is not reported, and the check needs no request")
    func remote() throws {
        let honest = try StatedLengthTests.retagged("cbr", StatedLengthTests.tagged[0].1, 1)
        let impossible = try StatedLengthTests.retagged("cbr", StatedLengthTests.tagged[0].1, 1e9)
        var flac = try StatedLengthTests.bytes("flac")
        flac[21] |= 0x0F
        for place in 22...25 { flac[place] = 0xFF }
        let files = ["/honest.mp3": honest, "/impossible.mp3": impossible, "/flac": try StatedLengthTests.bytes("flac"), "/impossible.flac": flac]
        let server = try MediaServer { request in .bytes(files[request.target] ?? [], ranges: true) }
        defer { server.stop() }
        #expect(try RemoteTests.open(server.url("/honest.mp3")).duration.isExact)
        let tagged = try RemoteTests.open(server.url("/impossible.mp3")).duration
        #expect(!tagged.isExact && abs((tagged.seconds ?? 0) - (Double(StatedLengthTests.signal.frameCount) / 44_100)) < 0.5, "\(tagged)")
        #expect(try RemoteTests.open(server.url("/flac")).duration.isExact)
        #expect(try RemoteTests.open(server.url("/impossible.flac")).duration == .unknown)
        func count(_ target: String) -> Int { server.requests.count { $0.target == target } }
        #expect(count("/impossible.mp3") == count("/honest.mp3") && count("/impossible.flac") == count("/flac"))
    }
}
