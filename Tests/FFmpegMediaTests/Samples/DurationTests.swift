import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Durations")
struct DurationTests {
    static let signal = TestSignal(frameCount: 44_100 * 3 + 217)

    static func bytes(_ name: String, _ ending: String, _ arguments: [String], _ signal: TestSignal = signal) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "duration-\(name)", ending, arguments)))
    }
    static func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
        try TestMedia.shared.file("duration-\(name)") { try Data(bytes).write(to: $0) }
    }

    static let bare: [(String, [String])] = [
        ("mp3", ["-c:a", "libmp3lame", "-q:a", "5", "-write_xing", "0", "-id3v2_version", "0"]), ("aac", ["-c:a", "aac", "-b:a", "96k"]),
        ("ts", ["-c:a", "aac", "-b:a", "96k"]), ("ac3", ["-c:a", "ac3", "-b:a", "192k"]), ("mp2", ["-c:a", "mp2"]),
    ]

    @Test("without an index the duration is estimated at open, measured on demand, and corrected by reading (R-ASSET-10, R-EOI-08)", arguments: bare)
    func estimates(_ ending: String, _ arguments: [String]) throws {
        let url = try DurationTests.file("bare.\(ending)", DurationTests.bytes("bare", ending, arguments))
        let reader = try Reading.open(url)
        let early = reader.duration
        let heard = try Reading.samples(reader).count / 2
        #expect(heard >= DurationTests.signal.frameCount && heard < DurationTests.signal.frameCount + 5000)
        #expect(!early.isExact || early == .exact(frames: Int64(heard), sampleRate: 44_100))
        #expect(abs((early.seconds ?? 0) - Double(heard) / 44_100) < 0.5, "\(early)")
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
        #expect(try Reading.open(url, precise: true).duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }

    @Test("bytes after the audio do not lengthen it", arguments: bare + [("tagged.mp3", ["-c:a", "libmp3lame"])])
    func trailingGarbage(_ ending: String, _ arguments: [String]) throws {
        let kind = ending.hasSuffix("mp3") ? "mp3" : ending
        let clean = try DurationTests.bytes("clean-\(ending)", kind, arguments)
        let whole = try Reading.samples(Reading.open(DurationTests.file("clean.\(ending)", clean)))
        var random = SeededGenerator(seed: 5)
        let garbage: [UInt8] = Array("APETAGEX".utf8) + (0..<30_000).map { _ in UInt8.random(in: 0...127, using: &random) }
        let reader = try Reading.open(DurationTests.file("garbage.\(ending)", clean + garbage))
        let early = reader.duration.seconds ?? 0
        // The estimate of the duration examines only a dozen positions of the file, so it is inexact. FFmpeg's own estimate would count the garbage
        // as audio.
        #expect(abs(early - Double(whole.count / 2) / 44_100) < 1.3, "\(reader.duration)")
        let heard = try Reading.samples(reader)
        // A decoder may find frames in the garbage. AC-3 frames are recognised by two bytes only, so random bytes contain some.
        #expect(heard.count >= whole.count && heard.count <= whole.count + 2 * (ending == "ac3" ? 22_050 : 2048))
        #expect(heard.prefix(whole.count - 2 * 4096) == whole.prefix(whole.count - 2 * 4096))
    }

    @Test("an unknown duration is unknown, not 0")
    func unknown() throws {
        let bytes = try DurationTests.bytes("live", "mp3", ["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0"])
        let server = try MediaServer { _ in .chunked(bytes, size: 5000) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/live"))
        #expect(reader.duration == .unknown)
        let heard = try Reading.samples(reader).count / 2
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }

    @Test("a WAV file with an unfinished header plays to its end", arguments: [0, 0x7FFF_FFFF, 0xFFFF_FFFF, 1000])
    func unfinishedWave(_ size: Int) throws {
        var bytes = try [UInt8](Data(contentsOf: TestMedia.shared.wave(DurationTests.signal)))
        for (index, place) in (40..<44).enumerated() { bytes[place] = UInt8(size >> (8 * index) & 0xFF) }
        for (index, place) in (4..<8).enumerated() { bytes[place] = UInt8(size >> (8 * index) & 0xFF) }
        let reader = try Reading.open(DurationTests.file("unfinished-\(size).wav", bytes))
        let heard = try Reading.samples(reader).count / 2
        // A plausible size of the audio (1,000 bytes) is used. Each other size is replaced by the size up to the end of the file.
        #expect(heard == (size == 1000 ? 250 : DurationTests.signal.frameCount))
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
        #expect(try Reading.open(DurationTests.file("unfinished-\(size).wav", bytes), precise: true).duration.seconds.map { $0 < 4 } == true)
    }

    @Test("a FLAC file without a stated length is measured")
    func lengthlessFLAC() throws {
        var bytes = try DurationTests.bytes("lengthless", "flac", ["-c:a", "flac"])
        bytes[21] &= 0xF0
        for place in 22...25 { bytes[place] = 0 }
        let url = try DurationTests.file("lengthless.flac", bytes)
        let reader = try Reading.open(url)
        #expect(!reader.duration.isExact && reader.duration.seconds != 0)
        #expect(try Reading.samples(reader).count == 2 * DurationTests.signal.frameCount)
        #expect(reader.duration == .exact(frames: Int64(DurationTests.signal.frameCount), sampleRate: 44_100))
        #expect(try Reading.open(url, precise: true).duration == reader.duration)
    }

    @Test("a fragmented MP4 has the length of its fragments", arguments: ["empty_moov+frag_keyframe", "empty_moov+frag_keyframe+delay_moov+dash"])
    func fragmented(_ flags: String) throws {
        let bytes = try DurationTests.bytes(
            "fragmented-\(flags.count)", "mp4", ["-c:a", "aac", "-b:a", "128k", "-movflags", flags, "-frag_duration", "400000"])
        let url = try DurationTests.file("fragmented-\(flags.count).mp4", bytes)
        let reader = try Reading.open(url)
        let early = reader.duration
        let heard = try Reading.samples(reader).count / 2
        #expect(abs(heard - DurationTests.signal.frameCount) <= 2048)
        #expect(abs((early.seconds ?? 0) - Double(heard) / 44_100) < 0.1, "\(early)")
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }

    @Test("a DSD file has the length of its bits")
    func directStream() throws {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        // The data of a DSD file are blocks of 4,096 bytes, for each channel in turn; the last block of each channel is padded.
        let rate = 2_822_400, blocks = 6, samples = (blocks * 4096 - 100) * 8
        var random = SeededGenerator(seed: 1)
        let data = (0..<(blocks * 2 * 4096)).map { _ in UInt8.random(in: 0...255, using: &random) }
        var bytes: [UInt8] = Array("DSD ".utf8) + little(28, 8) + little(28 + 52 + 12 + data.count, 8) + little(0, 8)
        bytes += Array("fmt ".utf8) + little(52, 8) + little(1, 4) + little(0, 4) + little(2, 4) + little(2, 4) + little(rate, 4) + little(1, 4)
        bytes += little(samples, 8) + little(4096, 4) + little(0, 4)
        bytes += Array("data".utf8) + little(12 + data.count, 8) + data
        let reader = try Reading.open(DurationTests.file("bits.dsf", bytes))
        #expect(reader.info.format.sampleRate == rate / 8)
        let early = reader.duration.seconds ?? 0
        let heard = try Reading.samples(reader).count / 2
        #expect(abs(early - Double(samples) / Double(rate)) < 0.002, "\(reader.duration)")
        #expect(abs(heard - samples / 8) <= 100)
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: rate / 8))
    }

    @Test("without an edit list, the iTunSMPB tag trims the encoder's padding")
    func gaplessNote() throws {
        let plain = try DurationTests.bytes("itunes", "m4a", ["-c:a", "aac", "-aac_pns", "0", "-b:a", "160k"])
        let edited = try Reading.open(DurationTests.file("edited.m4a", plain))
        let whole = try Reading.samples(edited)
        let noted = try Rewriting.itunesNote(plain, priming: 1024, samples: DurationTests.signal.frameCount)
        let reader = try Reading.open(DurationTests.file("noted.m4a", noted))
        #expect(reader.info.encoderDelay == 1024)
        #expect(reader.duration == .exact(frames: Int64(DurationTests.signal.frameCount), sampleRate: 44_100))
        #expect(try Reading.samples(reader) == whole)
        // Without edit list and tag, nothing marks the encoder's padding, so it is played.
        let silent = try Rewriting.withoutEdits(plain)
        #expect(try Reading.samples(Reading.open(DurationTests.file("silent.m4a", silent))).count > whole.count)
    }

    @Test("a file that grows during reading ends, and one that is deleted plays on")
    func changingFiles() throws {
        let bytes = try DurationTests.bytes("growing", "flac", ["-c:a", "flac"])
        let url = TestMedia.shared.directory.appendingPathComponent("duration-changing.flac")
        try Data(bytes.prefix(bytes.count / 2)).write(to: url)
        let reader = try Reading.open(url)
        _ = try reader.read()
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(bytes.dropFirst(bytes.count / 2)))
        try handle.close()
        try FileManager.default.removeItem(at: url)
        let rest = try Reading.samples(reader)
        #expect(rest.count > 44_100)
        #expect(try reader.read() == nil)
        #expect(try reader.seek(to: 5000, before: 0, after: 0) == 5000)
        #expect(try reader.read()?.position == 5000)
    }
}
