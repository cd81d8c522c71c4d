import Foundation
@testable import tonearm
import PlaybackEngine
import Testing

@Suite("Reports of inspect")
struct MediaReportTests {
    private var full: MediaInfo {
        MediaInfo(
            containerName: "ogg", codecName: "opus", format: AudioFormat(sampleRate: 48_000, channelLayout: .stereo), bitRate: 96_499,
            duration: .exact(frames: 3_600_000 * 48 + 24, sampleRate: 48_000), encoderDelay: 312, encoderPadding: 7,
            metadata: [MetadataEntry(key: "title", value: "First Light"), MetadataEntry(key: "lyrics", value: "one\ntwo\nthree")],
            chapters: [MediaChapter(title: "Intro", start: 0, end: 61.5), MediaChapter(title: "", start: 61.5, end: 70)],
            artwork: Artwork(mimeType: "image/png", data: [UInt8](repeating: 0, count: 12_345)))
    }

    @Test("the text report is aligned and has all parts")
    func text() {
        #expect(
            MediaReport(input: "a/b.opus", info: full).text == """
                a/b.opus
                  Format    opus in ogg, 48000 Hz, stereo, 96 kbit/s
                  Duration  1:00:00.001, 172800024 samples (exact)
                  Encoder   delay 312, padding 7 samples
                  Artwork   image/png, 12.3 kB
                  Tags      title   First Light
                            lyrics  one (and 2 more lines)
                  Chapters  0:00.000  Intro
                            1:01.500  \n
                """)
    }

    @Test("the measured loudness is reported in decibels, and silence as what it is")
    func measured() throws {
        var report = MediaReport(input: "a", info: full)
        #expect(!report.json.contains("measuredLoudness"))
        report.measurement = LoudnessMeter.Measurement(integrated: -9.314, range: 6.1, samplePeak: 1, truePeak: 1.05, clippedFrames: 0)
        #expect(report.text.contains("Measured  -9.31 LUFS, range 6.10 LU, true peak 0.42 dB, sample peak 0.00 dB\n"))
        report.measurement?.clippedFrames = 12
        #expect(report.text.contains("sample peak 0.00 dB, 12 frames over full scale\n"))
        #expect(report.json.contains(#""measuredLoudness":{"clippedFrames":12,"integrated":-9.314,"range":6.1,"samplePeak":0,"truePeak":0.42"#))
        report.measurement = LoudnessMeter.Measurement(integrated: nil, range: nil, samplePeak: 0, truePeak: 0, clippedFrames: 0)
        #expect(report.text.contains("Measured  silence, true peak none, sample peak none\n"))
        #expect(report.json.contains(#""measuredLoudness":{"clippedFrames":0}"#))
    }

    @Test("loudness is reported as it would be applied, in text and JSON")
    func loudness() {
        var info = full
        info.metadata = [
            MetadataEntry(key: "r128_track_gain", value: "-2048"), MetadataEntry(key: "r128_album_gain", value: "loud"),
            MetadataEntry(key: "replaygain_album_peak", value: "0.987"),
        ]
        let report = MediaReport(input: "x", info: info)
        #expect(report.text.contains("  Loudness  track -3.00 dB; album peak 0.99\n"))
        #expect(report.json.contains(#""loudness":{"albumPeak":0.987,"trackGain":-3}"#))
        #expect(!MediaReport(input: "x", info: full).text.contains("Loudness"))
        #expect(!MediaReport(input: "x", info: full).json.contains("loudness"))
    }

    @Test("missing values are omitted, and an estimate is marked")
    func sparse() {
        var info = MediaInfo(
            containerName: "flac", codecName: "flac", format: .compactDisc, bitsPerSample: 16, duration: .estimated(frames: 441, sampleRate: 44_100))
        #expect(
            MediaReport(input: "x", info: info).text == """
                x
                  Format    flac, 44100 Hz, stereo, 16 bit
                  Duration  0:00.010, 441 samples (estimated)

                """)
        info.duration = .unknown
        info.isSeekable = false
        info.isLive = true
        #expect(MediaReport(input: "x", info: info).text.contains("  Duration  unknown\n  Note      not seekable, live\n"))
    }

    @Test("what the player cannot keep of the samples is told, in text and JSON")
    func changes() {
        var info = MediaInfo(
            containerName: "wav", codecName: "pcm_s32le", format: AudioFormat(sampleRate: 705_600, channelLayout: .stereo), bitsPerSample: 32)
        #expect(MediaReport(input: "x", info: info).text.contains("  Note      rounded to 24 bits, played at most at 384000 Hz\n"))
        #expect(MediaReport(input: "x", info: info).json.contains(#""changes":["rounded","resampled"]"#))
        info.isFloat = true
        info.format = .compactDisc
        info.isRepeatable = false
        #expect(MediaReport(input: "x", info: info).json.contains(#""changes":["randomNoise"]"#))
        #expect(MediaReport(input: "x", info: info).text.contains("noise of the decoder may differ after a seek"))
        info.isRepeatable = true
        #expect(!MediaReport(input: "x", info: info).json.contains("changes"))
    }

    @Test("a hostile tag cannot control the terminal")
    func hostile() {
        var info = full
        info.metadata = [MetadataEntry(key: "ti\u{1b}[2Jtle", value: "\u{1b}]0;x\u{7}\u{202E}y")]
        info.chapters = [MediaChapter(title: "\u{9b}31m", start: .nan, end: .infinity)]
        let text = MediaReport(input: "\u{1b}c", info: info).text
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.properties.generalCategory != .format && $0.value != 0x9B) })
    }

    @Test("the JSON report is one line with the members that Commands.md lists, sorted by name")
    func json() throws {
        let json = MediaReport(input: "a/b.opus", info: full).json
        #expect(
            json == #"{"artwork":{"bytes":12345,"type":"image/png"},"bitRate":96499,"channelLayout":"stereo","channels":2,"#
                + #""chapters":[{"end":61.5,"start":0,"title":"Intro"},{"end":70,"start":61.5,"title":""}],"codec":"opus","#
                + #""duration":{"frames":172800024,"isExact":true,"sampleRate":48000,"seconds":3600.0005},"#
                + #""encoderDelay":312,"encoderPadding":7,"fileType":"ogg","input":"a/b.opus","isLive":false,"isSeekable":true,"sampleRate":48000,"#
                + #""tags":{"lyrics":"one\ntwo\nthree","title":"First Light"}}"#)
    }

    @Test("several values of a tag are separated by commas in JSON, and listed beside it; in text each has a line")
    func severalValues() {
        let metadata = [("artist", "A"), ("artist", "B"), ("title", "T")].map { MetadataEntry(key: $0, value: $1) }
        let report = MediaReport(input: "x", info: MediaInfo(containerName: "mp3", codecName: "mp3", format: .compactDisc, metadata: metadata))
        #expect(report.json.contains(#""tags":{"artist":"A, B","title":"T"}"#) && report.json.contains(#""tagValues":{"artist":["A","B"]}"#))
        #expect(report.text.contains("artist  A\n") && report.text.contains("artist  B\n"))
    }

    @Test("unknown values are absent in JSON, never null, and non-finite numbers are omitted")
    func jsonUnknown() throws {
        var info = full
        info.duration = .unknown
        info.bitRate = nil
        info.artwork = nil
        info.chapters = [MediaChapter(title: "x", start: .nan, end: .infinity)]
        let json = MediaReport(input: "x", info: info).json
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "input", "fileType", "codec", "sampleRate", "channels", "channelLayout", "encoderDelay", "encoderPadding", "isSeekable", "isLive",
                "tags", "chapters",
            ])
        #expect((object["chapters"] as? [Any])?.isEmpty == true)
        #expect(!json.contains("null"))
    }

    @Test(
        "a layout has its common name, or the names of its channels",
        arguments: [
            (0x4, "mono"), (0x3, "stereo"), (0x3F, "5.1"), (0x60F, "5.1"), (0x63F, "7.1"), (0x33, "quad"), (0x101, "FL+BC"),
            (1 << 40 | 1, "FL+bit40"),
        ] as [(UInt64, String)])
    func layouts(mask: UInt64, name: String) {
        #expect(ChannelLayout(mask: mask).name == name)
    }

    @Test("a layout without known positions is a number of channels")
    func unknownLayout() {
        #expect(ChannelLayout(count: 12).name == "12 channels")
    }
}
