import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("ReplayGain in APE tags of MP3 files")
struct ReplayGainTagTests {
    static let gains = [
        ("REPLAYGAIN_TRACK_GAIN", "-6.02 dB"), ("REPLAYGAIN_TRACK_PEAK", "0.987"), ("replaygain_album_gain", "+1.5 dB"),
        ("REPLAYGAIN_ALBUM_PEAK", "1.1"),
    ]

    static func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    static func item(_ key: String, _ value: [UInt8], flags: Int = 0, size: Int? = nil) -> [UInt8] {
        little(size ?? value.count) + little(flags) + Array(key.utf8) + [0] + value
    }
    /// Returns the bytes of an APEv2 tag: its header, its items and its footer. `size` and `count` replace the correct numbers in header and footer.
    static func tag(_ items: [[UInt8]], size: Int? = nil, count: Int? = nil) -> [UInt8] {
        let body = items.flatMap { $0 }
        func edge(_ flags: Int) -> [UInt8] {
            Array("APETAGEX".utf8) + little(2000) + little(size ?? body.count + 32) + little(count ?? items.count) + little(flags)
                + [UInt8](repeating: 0, count: 8)
        }
        return edge(Int(bitPattern: 0xA000_0000)) + body + edge(Int(bitPattern: 0x8000_0000))
    }
    static let texts = gains.map { item($0.0, Array($0.1.utf8)) }

    static func info(_ name: String, _ tail: [UInt8], _ arguments: [String] = []) throws -> MediaInfo {
        let sound = try TestMedia.shared.encoded(
            MetadataTests.signal, as: "gain-\(arguments.count)", "mp3", ["-c:a", "libmp3lame", "-id3v2_version", "3"] + arguments)
        let url = try TestMedia.shared.file("gain-\(name).mp3") { try (Data(contentsOf: sound) + Data(tail)).write(to: $0) }
        let reader = try Reading.open(url)
        // The tag is not read as audio: exactly the samples of the recording are delivered.
        #expect(try Reading.samples(reader).count == 2 * 44_100)
        return reader.info
    }

    @Test("gains and peaks are read, with or without an ID3v1 tag after them and a large picture between them")
    func read() throws {
        let older = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        let picture = ReplayGainTagTests.item("Cover Art (Front)", [UInt8](repeating: 9, count: 300_000), flags: 2)
        let texts = ReplayGainTagTests.texts
        for (name, tail) in [("plain", texts), ("picture", [texts[0], picture] + texts[1...])] {
            for behind in [[], older] {
                let info = try ReplayGainTagTests.info("\(name)-\(behind.count)", ReplayGainTagTests.tag(tail) + behind)
                #expect(LoudnessTags(info) == LoudnessTags(trackGain: -6.02, albumGain: 1.5, trackPeak: 0.987, albumPeak: 1.1))
            }
        }
    }

    @Test("ID3 tags take precedence")
    func precedence() throws {
        let info = try ReplayGainTagTests.info(
            "both", ReplayGainTagTests.tag(ReplayGainTagTests.texts), ["-metadata", "REPLAYGAIN_TRACK_GAIN=-3.00 dB"])
        #expect(LoudnessTags(info).trackGain == -3)
        #expect(LoudnessTags(info).albumGain == 1.5)
    }

    @Test("a malformed tag is ignored, or read as far as it is well-formed")
    func malformed() throws {
        let texts = ReplayGainTagTests.texts, first = texts[0]
        let key = "REPLAYGAIN_TRACK_GAIN"
        let tags: [String: [UInt8]] = [
            "size": ReplayGainTagTests.tag(texts, size: 0x7FFF_FFFF), "small": ReplayGainTagTests.tag(texts, size: 3),
            "item": ReplayGainTagTests.tag([ReplayGainTagTests.item(key, Array("-6 dB".utf8), size: 0xFFFF_FFFF)]),
            "text": ReplayGainTagTests.tag([ReplayGainTagTests.item(key, [0x2D, 0xFF, 0x36])]),
            "binary": ReplayGainTagTests.tag([ReplayGainTagTests.item(key, Array("-6 dB".utf8), flags: 2)]),
            "long": ReplayGainTagTests.tag([ReplayGainTagTests.item(key, [UInt8](repeating: 0x31, count: 65))]),
            "endless": ReplayGainTagTests.tag([[UInt8](repeating: 0x41, count: 3000)]), "empty": ReplayGainTagTests.tag([]),
            "headless": Array(first.prefix(7)) + Array(ReplayGainTagTests.tag([]).suffix(32)),
        ]
        for (name, tag) in tags { #expect(try LoudnessTags(ReplayGainTagTests.info(name, tag)).trackGain == nil, "\(name)") }
        // If the tag states more items than it has, reading ends at the end of the tag.
        let info = try ReplayGainTagTests.info("count", ReplayGainTagTests.tag(texts, count: 0xFFFF_FFFF))
        #expect(LoudnessTags(info).albumPeak == 1.1)
    }

    @Test("a cover does not count towards the bit rate")
    func bitRate() throws {
        let cover = try TestMedia.shared.file("noisy-cover.png") { url in
            try TestMedia.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=600x600,noise=alls=100", "-frames:v", "1", url.path])
        }
        let wave = try TestMedia.shared.wave(MetadataTests.signal)
        let plain = try Reading.open(TestMedia.shared.encoded(MetadataTests.signal, as: "coverless", "flac", ["-c:a", "flac"])).info.bitRate
        let url = try TestMedia.shared.file("covered.flac") { url in
            try TestMedia.ffmpeg([
                "-i", wave.path, "-i", cover.path, "-map", "0:a", "-map", "1:v", "-c:a", "flac", "-c:v", "copy", "-disposition:v", "attached_pic",
                url.path,
            ])
        }
        let covered = try Reading.open(url).info.bitRate
        #expect(try Double(#require(covered)) / Double(#require(plain)) < 1.1)
        #expect(try Double(#require(covered)) / Double(#require(plain)) > 0.9)
    }
}
