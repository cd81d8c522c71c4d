import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Chained and joined files")
struct ChainTests {
    static func joined(_ name: String, _ parts: [URL]) throws -> URL {
        try TestMedia.shared.file(name) { url in
            var all = Data()
            for part in parts { try all.append(Data(contentsOf: part)) }
            try all.write(to: url)
        }
    }

    @Test("a chained Ogg file is the exact concatenation of its links", arguments: ["vorbis", "opus", "flac"])
    func chained(_ codec: String) throws {
        let name = codec == "flac" ? "flac" : "lib\(codec)", ending = codec == "opus" ? "opus" : "ogg"
        let parts = try [(30_001, 1), (50_017, 2), (12_345, 3)].map { frames, seed in
            try TestMedia.shared.encoded(
                TestSignal(sampleRate: 48_000, frameCount: frames, seed: UInt64(seed)), as: "link-\(codec)", ending,
                ["-c:a", name, "-serial_offset", "\(100 * seed)"])
        }
        let url = try ChainTests.joined("chain-\(codec).ogg", parts)
        let expected = try parts.flatMap { try Reading.samples(Reading.open($0)) }
        let reader = try Reading.open(url)
        #expect(reader.duration == .exact(frames: 30_001 + 50_017 + 12_345, sampleRate: 48_000))
        #expect(try Reading.samples(reader) == expected)
        try SeekTests.check(url, codec == "flac" ? .lossless : .repeatable)
        for target in [0, 29_990, 30_001, 79_000, 80_018, 92_000, 15_000] {
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let count = min(2000, expected.count / 2 - target)
            let heard = try Reading.samples(reader, limit: count)
            #expect(zip(heard, expected.frames(target..<(target + count), of: 2)).allSatisfy { abs($0 - $1) <= 0x1p-15 }, "at \(target)")
            #expect(heard.count == 2 * count)
        }
    }

    @Test("links of other rates are converted to the rate of the first one, and keep their durations")
    func mixedChain() throws {
        let first = TestSignal(sampleRate: 48_000, frameCount: 24_000), second = TestSignal(sampleRate: 44_100, channelCount: 1, frameCount: 22_050)
        let parts = try [
            TestMedia.shared.encoded(first, as: "mixed", "ogg", ["-c:a", "flac", "-serial_offset", "1"]),
            TestMedia.shared.encoded(second, as: "mixed", "ogg", ["-c:a", "flac", "-serial_offset", "70"]),
        ]
        let reader = try Reading.open(ChainTests.joined("chain-mixed.ogg", parts))
        #expect(reader.duration == .exact(frames: 48_000, sampleRate: 48_000))
        let heard = try Reading.samples(reader)
        #expect(heard.count == 2 * 48_000)
        #expect(Array(heard[..<48_000]) == first.integers(bits: 16).map { Float($0) * 0x1p-15 })
        #expect(heard[60_000..<90_000].contains { abs($0) > 0.05 })
    }

    @Test("concatenated MP3 files play to the end, with exact seeks")
    func joinedMP3() throws {
        let parts = try [1, 2].map { seed in
            try TestMedia.shared.encoded(
                TestSignal(frameCount: 44_100 * 2, seed: UInt64(seed)), as: "joined", "mp3", ["-c:a", "libmp3lame", "-b:a", "128k"])
        }
        let url = try ChainTests.joined("joined.mp3", parts)
        let whole = try Reading.samples(Reading.open(url))
        #expect(whole.count / 2 >= 44_100 * 4)
        let reader = try Reading.open(url)
        for target in [150_000, 20_000, 100_000, 88_000] {
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            #expect(try Reading.samples(reader, limit: 3000) == whole.frames(target..<(target + 3000), of: 2), "at \(target)")
        }
    }

    @Test("a change of rate within a stream is converted to the first rate")
    func rateChange() throws {
        let parts = try [
            TestMedia.shared.encoded(
                TestSignal(sampleRate: 48_000, frameCount: 48_000), as: "change", "mp3", ["-c:a", "libmp3lame", "-write_xing", "0"]),
            TestMedia.shared.encoded(
                TestSignal(sampleRate: 24_000, frameCount: 24_000), as: "change", "mp3", ["-c:a", "libmp3lame", "-write_xing", "0"]),
        ]
        let reader = try Reading.open(ChainTests.joined("change.mp3", parts))
        let heard = try Reading.samples(reader)
        #expect(reader.info.format.sampleRate == 48_000)
        #expect(abs(heard.count / 2 - 96_000) < 8000)
        let again = try Reading.open(ChainTests.joined("change.mp3", parts))
        #expect(try again.seek(to: 70_000, before: 0, after: 0) == 70_000)
        #expect(try Reading.samples(again, limit: 3000) == heard.frames(70_000..<73_000, of: 2))
    }

    @Test("signalled SBR is decoded at the full rate, with exact seeks (HE-AAC)")
    func spectralBandReplication() throws {
        // The file of FFmpeg's encoder states that its audio has no SBR (spectral band replication). The test changes the byte that states it.
        let plain = try TestMedia.shared.encoded(
            TestSignal(sampleRate: 22_050, frameCount: 22_050 * 4), as: "core", "m4a", ["-c:a", "aac", "-aac_pns", "0"])
        let url = try TestMedia.shared.file("he-aac.m4a") { url in
            var bytes = try [UInt8](Data(contentsOf: plain))
            let mark: [UInt8] = [0x56, 0xE5, 0x00]
            let place = try #require(bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 3]) == mark })
            bytes[place + 2] = 0x80 | 4 << 3
            try Data(bytes).write(to: url)
        }
        let reader = try Reading.open(url)
        #expect(reader.info.format.sampleRate == 44_100)
        #expect(reader.duration == .exact(frames: 44_100 * 4, sampleRate: 44_100))
        let whole = try Reading.samples(reader)
        #expect(whole.count == 2 * 44_100 * 4)
        for target in [1000, 100_000, 44_100, 176_000] {
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let count = min(4000, 44_100 * 4 - target)
            #expect(try Reading.samples(reader, limit: count) == whole.frames(target..<(target + count), of: 2), "at \(target)")
        }
    }

    @Test("the upper band and the second channel of HE-AAC are decoded, however they are signalled (ISO 14496-3, 4.4.2.8 and 8.6.4)")
    func upperBandIsHeard() throws {
        /// Returns the ratio of two levels: of the band from 12 to 15 kHz, and of the band below 7 kHz.
        func share(_ samples: [Float]) -> Double {
            // The samples are multiplied by a window, because an abrupt start and end would add to the spectrum.
            let windowed = samples.enumerated().map { number, sample in
                Double(sample) * (0.5 - 0.5 * cos(2 * Double.pi * (Double(number) + 0.5) / Double(samples.count)))
            }
            // Goertzel's recurrence gives the power at a frequency with one cosine.
            func level(_ hertz: Double) -> Double {
                let factor = 2 * cos(2 * Double.pi * hertz / 44_100)
                var (last, before) = (0.0, 0.0)
                for value in windowed { (last, before) = (value + factor * last - before, last) }
                return last * last + before * before - factor * last * before
            }
            return stride(from: 12_000, to: 15_000, by: 50).map(level).reduce(0, +) / stride(from: 1000, to: 7000, by: 50).map(level).reduce(0, +)
        }
        for encoding in Encoding.upperBands {
            let reader = try Reading.open(encoding.file())
            #expect(reader.info.format.sampleRate == 44_100, "\(encoding.name)")
            let whole = try Reading.samples(reader).frames(50_000..<54_000, of: reader.info.format.channelCount)
            let channels = reader.info.format.channelCount
            // FFmpeg decodes a stream of one channel to two channels, because the stream may signal parametric stereo later.
            #expect(channels == 2, "\(encoding.name)")
            #expect(share(whole.channel(0, of: channels)) > 1e-4, "\(encoding.name)")
            // With parametric stereo the two channels differ.
            if encoding.name.contains("v2") { #expect(whole.channel(0, of: 2) != whole.channel(1, of: 2), "\(encoding.name)") }
        }
        let core = try Reading.samples(Reading.open(#require(Encoding.others.first { $0.name == "he-aac-v1" }).file()))
        #expect(share(core.frames(20_000..<24_000, of: 2).channel(0, of: 2)) < 1e-6)
    }
}
