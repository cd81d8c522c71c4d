import FFmpegMedia
import Foundation
import Glibc
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Invalid input")
struct BadInputTests {
    static func failure(_ path: String) -> PlaybackError? {
        do {
            _ = try FFmpegOpener().open(MediaSource(.file(path: path)), interrupt: Interrupt())
            return nil
        } catch { return error }
    }

    static func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> URL {
        try TestMedia.shared.file(name) { try Data(bytes).write(to: $0) }
    }

    static let signal = TestSignal(frameCount: 44_100 * 3)
    static func flac() throws -> [UInt8] { try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "bad", "flac", ["-c:a", "flac"]))) }
    static func mp3() throws -> [UInt8] {
        try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "bad", "mp3", ["-c:a", "libmp3lame", "-b:a", "128k"])))
    }

    @Test("a missing file, a folder, a device and a pipe give different errors, and none blocks")
    func notFiles() throws {
        let folder = TestMedia.shared.directory
        #expect(BadInputTests.failure(folder.appendingPathComponent("nowhere.flac").path)?.code == .fileNotFound)
        #expect(BadInputTests.failure(folder.path)?.code == .notAFile)
        #expect(BadInputTests.failure("/dev/zero")?.code == .notAFile)
        let pipe = folder.appendingPathComponent("pipe.mp3").path
        mkfifo(pipe, 0o600)
        #expect(BadInputTests.failure(pipe)?.code == .notAFile)
        #expect(BadInputTests.failure("/nul\0byte")?.code == .fileNotFound)
    }

    @Test("a file without read permission gives permissionDenied", .enabled(if: geteuid() != 0, "root may read everything"))
    func permission() throws {
        let url = try BadInputTests.file("locked.flac", BadInputTests.flac())
        chmod(url.path, 0)
        #expect(BadInputTests.failure(url.path)?.code == .permissionDenied)
    }

    @Test("an empty file, text and noise are refused, whatever their names")
    func notMedia() throws {
        #expect(try BadInputTests.failure(BadInputTests.file("empty.mp3", []).path)?.code == .emptyFile)
        let text = Array("All work and no play makes Jack a dull boy.\n".utf8)
        #expect(try BadInputTests.failure(BadInputTests.file("short.mp3", text).path)?.code == .unsupportedFormat)
        #expect(try BadInputTests.failure(BadInputTests.file("long.mp3", (0..<5000).flatMap { _ in text }).path)?.code == .unsupportedFormat)
        for seed in 1...8 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            let error = try BadInputTests.failure(BadInputTests.file("noise-\(seed).mp3", noise).path)
            #expect(error?.code == .unsupportedFormat)
        }
    }

    @Test("a movie without audio gives noAudio")
    func noSound() throws {
        let movie = try TestMedia.shared.file("silent.mp4") { url in
            try TestMedia.ffmpeg(["-f", "lavfi", "-i", "color=red:s=32x32:d=0.4", "-c:v", "mpeg4", url.path])
        }
        #expect(BadInputTests.failure(movie.path)?.code == .noAudio)
    }

    @Test("an encrypted track is refused and not played as noise (R-ASSET-13)")
    func protected() throws {
        let url = try TestMedia.shared.encoded(
            BadInputTests.signal, as: "protected", "mp4",
            [
                "-c:a", "aac", "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "000102030405060708090a0b0c0d0e0f",
                "-encryption_kid", "101112131415161718191a1b1c1d1e1f",
            ])
        #expect(BadInputTests.failure(url.path)?.code == .unsupportedFormat)
    }

    @Test("no message contains a path")
    func messages() throws {
        let folder = TestMedia.shared.directory
        let errors = [
            BadInputTests.failure(folder.appendingPathComponent("secret-place.flac").path), BadInputTests.failure(folder.path),
            try BadInputTests.failure(BadInputTests.file("secret-text.mp3", Array("text".utf8)).path),
        ]
        for error in errors {
            let words = try #require(error).description
            #expect(!words.contains("secret") && !words.contains(folder.lastPathComponent))
            #expect(words.contains("."))
        }
    }

    @Test(
        "a path is always opened as a file, whatever protocol it resembles",
        arguments: ["concat:a|b.flac", "http:x.flac", "100%41.flac", "new\nline.flac", "-i.flac", "pipe:0", "ümlaut ☃.flac", "file:x.flac"])
    func oddNames(_ name: String) throws {
        let url = try BadInputTests.file(name, BadInputTests.flac())
        let reader = try FFmpegOpener().open(MediaSource(.file(path: url.path)), interrupt: Interrupt())
        #expect(reader.info.codecName == "flac")
    }

    @Test("a playlist or container that refers to other files opens none of them")
    func hostileContainers() throws {
        let victim = try BadInputTests.file("victim.flac", BadInputTests.flac())
        let playlists = [
            "a.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n\(victim.path)\n#EXT-X-ENDLIST\n",
            "b.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://\(victim.path)\n#EXT-X-ENDLIST\n",
            "c.ffconcat": "ffconcat version 1.0\nfile '\(victim.path)'\n",
            "d.ffconcat": "ffconcat version 1.0\nfile victim.flac\n",
            "e.sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 9 RTP/AVP 0\n",
            "f.mpd": "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\"><Period><AdaptationSet "
                + "mimeType=\"audio/flac\"><Representation id=\"1\" bandwidth=\"1\"><BaseURL>\(victim.path)</BaseURL></Representation>"
                + "</AdaptationSet></Period></MPD>",
            "g.cue": "FILE \"\(victim.path)\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n",
            "h.pls": "[playlist]\nFile1=\(victim.path)\nNumberOfEntries=1\n",
        ]
        for (name, text) in playlists {
            let url = try BadInputTests.file(name, Array(text.utf8))
            #expect(BadInputTests.failure(url.path)?.code == .unsupportedFormat, "\(name)")
        }
    }

    @Test("a truncated file plays to its actual end, and its duration is then exact", arguments: ["flac", "mp3", "wav", "ogg", "m4a"])
    func truncated(_ kind: String) throws {
        let arguments = [
            "flac": ["-c:a", "flac"], "mp3": ["-c:a", "libmp3lame"], "wav": ["-c:a", "pcm_s16le"], "ogg": ["-c:a", "libvorbis"],
            "m4a": ["-c:a", "alac", "-movflags", "+faststart"],
        ]
        let whole = try TestMedia.shared.encoded(BadInputTests.signal, as: "whole", kind, arguments[kind] ?? [])
        let bytes = try [UInt8](Data(contentsOf: whole))
        let cut = try BadInputTests.file("cut.\(kind)", bytes.prefix(bytes.count * 6 / 10))
        let expected = try Reading.samples(Reading.open(whole))
        let reader = try Reading.open(cut)
        let heard = try Reading.samples(reader)
        #expect(heard.count > expected.count / 3 && heard.count < expected.count)
        let sure = heard.count - 2 * 8192
        #expect(heard[..<sure] == expected[..<sure])
        #expect(reader.duration == .exact(frames: Int64(heard.count / 2), sampleRate: 44_100))
        #expect(try reader.seek(to: 20_000, before: 0, after: 0) == 20_000)
        #expect(try Reading.samples(reader, limit: 4000) == expected.frames(20_000..<24_000, of: 2))
    }

    @Test("a file that is truncated while it plays ends")
    func shrinking() throws {
        let url = TestMedia.shared.directory.appendingPathComponent("shrinking.wav")
        try WaveFile.data(TestSignal(frameCount: 44_100 * 20).integers(bits: 16), bits: 16, sampleRate: 44_100, channelCount: 2).write(to: url)
        let reader = try Reading.open(url)
        let first = try #require(try reader.read())
        #expect(truncate(url.path, 500_000) == 0)
        let rest = try Reading.samples(reader)
        #expect(first.frameCount + rest.count / 2 < 44_100 * 20)
        #expect(try reader.read() == nil)
    }

    @Test("damage is skipped, counted and silent, and does not move later frames", arguments: ["flac", "mp3"])
    func damaged(_ kind: String) throws {
        let original = try kind == "flac" ? BadInputTests.flac() : BadInputTests.mp3()
        let whole = try Reading.samples(Reading.open(BadInputTests.file("sound.\(kind)", original)))
        var bytes = original
        let middle = bytes.count / 2
        // Random bytes replace 3,000 bytes in the middle, so that the frames there cannot be decoded. They are below 128, so that none begins a frame
        // header.
        var random = SeededGenerator(seed: 11)
        for index in middle..<(middle + 3000) { bytes[index] = UInt8.random(in: 0...127, using: &random) }
        let reader = try Reading.open(BadInputTests.file("damaged.\(kind)", bytes))
        let heard = try Reading.samples(reader)
        if kind == "flac" {
            // A FLAC frame has its position in its header. So the frames after the damage keep their positions.
            #expect(heard.count == whole.count)
            #expect(reader.skippedPackets > 0)
            #expect(heard.suffix(20_000) == whole.suffix(20_000))
            #expect(heard.prefix(20_000) == whole.prefix(20_000))
        } else {
            // An MP3 frame has no position. So the number of damaged frames is computed from the number of damaged bytes, and later frames keep their
            // positions.
            #expect(heard.count == whole.count)
            #expect(reader.skippedPackets >= 7)
            #expect(heard.suffix(2 * 10_000) == whole.suffix(2 * 10_000))
            #expect(heard.prefix(20_000) == whole.prefix(20_000))
        }
    }

    @Test("a file without any decodable frame gives an error, not silence")
    func nothingDecodes() throws {
        var bytes = try BadInputTests.flac()
        var random = SeededGenerator(seed: 3)
        for index in 8200..<bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        let error = try BadInputTests.failure(BadInputTests.file("hollow.flac", bytes).path)
        #expect(error?.code == .corruptMedia || error?.code == .unsupportedFormat)
    }

    @Test(
        "mutated files never trap: they play, or fail with an error",
        arguments: ["flac", "mp3", "m4a", "ogg", "opus", "wav", "mka", "ts", "aac", "wv", "caf"])
    func mutations(_ kind: String) throws {
        let count = ProcessInfo.processInfo.environment["TONEARM_MUTATIONS"].flatMap { Int($0) } ?? 12
        let arguments = kind == "opus" ? ["-c:a", "libopus"] : kind == "m4a" ? ["-c:a", "aac"] : kind == "mka" ? ["-c:a", "libvorbis"] : []
        let signal = TestSignal(sampleRate: kind == "opus" ? 48_000 : 44_100, frameCount: kind == "ogg" || kind == "opus" ? 150_000 : 30_000)
        let url = try TestMedia.shared.encoded(signal, as: "mutant", kind, arguments)
        let original = try [UInt8](Data(contentsOf: url))
        let place = TestMedia.shared.directory.appendingPathComponent("mutation.\(kind)")
        var survivors = 0
        for seed in 0..<count {
            var random = SeededGenerator(seed: UInt64(seed))
            var bytes = original
            for _ in 0..<Int.random(in: 1...24, using: &random) {
                // Damage to the header often prevents that the rest of the file is read. So half of the files are damaged only after the header.
                let head = min(4800, bytes.count / 2)
                let range = seed % 2 == 0 ? 0..<(Bool.random(using: &random) ? 512 : bytes.count) : head..<bytes.count
                bytes[Int.random(in: range, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if seed % 3 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count / 2, using: &random)) }
            try Data(bytes).write(to: place)
            guard let reader = try? Reading.open(place) else { continue }
            var blocks = 0
            survivors += 1
            do throws(PlaybackError) {
                while blocks < 200, let block = try reader.read() {
                    #expect(block.frameCount > 0 && block.frameCount <= 8192)
                    blocks += 1
                }
                let target = Int64.random(in: 0...60_000, using: &random)
                #expect(try reader.seek(to: target, before: 0, after: 0) == target)
                if let block = try reader.read() { #expect(block.position == target) }
                _ = try reader.seek(to: .max, before: .max, after: .max)
                #expect(try reader.read() == nil)
            } catch { #expect(!error.message.isEmpty) }
        }
        // At least one damaged file must be opened; otherwise the test would check nothing.
        #expect(survivors > 0)
    }
}
