import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Remote MPEG audio whose tags and bytes contradict each other (R-SEEK-21)")
struct LyingTagTests {
    private static let (cbr, bare, xing) = (LongMedium.constant[0], LongMedium.constant[1], LongMedium.variable[0])

    private static func medium(_ name: String, of base: LongMedium, _ rewrite: @escaping @Sendable ([UInt8]) -> [UInt8]) -> LongMedium {
        LongMedium(name: name, fileExtension: base.fileExtension, arguments: base.arguments, rewrite: rewrite)
    }
    /// Returns the index of the tag in the first frame.
    private static func tag(_ bytes: [UInt8]) -> Int {
        (0..<1000).first { bytes[$0...].starts(with: "Xing".utf8) || bytes[$0...].starts(with: "Info".utf8) } ?? 0
    }

    private static func replacing(_ bytes: [UInt8], at index: Int, by number: Int) -> [UInt8] {
        var bytes = bytes
        for place in 0..<4 { bytes[index + place] = UInt8(number >> (24 - 8 * place) & 0xFF) }
        return bytes
    }

    /// Returns a medium of some 1380 frames whose tag states another number.
    static func counting(_ frames: Int) -> LongMedium {
        medium("count-\(frames)", of: cbr) { replacing($0, at: tag($0) + 8, by: frames) }
    }

    static let media = [
        medium("info-on-vbr", of: xing) { bytes in
            var bytes = bytes
            bytes.replaceSubrange(tag(bytes)..<(tag(bytes) + 4), with: "Info".utf8)
            return bytes
        },
        // The number of frames is the one that the bytes would hold if all frames were like those at the start.
        medium("info-with-count", of: xing) { bytes in
            var bytes = bytes
            let at = tag(bytes)
            bytes.replaceSubrange(at..<(at + 4), with: "Info".utf8)
            let mean = RawStreamEstimate.meanFrameSize(Array(bytes[(at + 800)...].drop { $0 != 0xFF }.prefix(16_384))) ?? 400
            return replacing(bytes, at: at + 8, by: Int(Double(bytes.count) / mean))
        },
        medium("table-backwards", of: xing) { bytes in
            var bytes = bytes
            let at = tag(bytes) + 16
            bytes.replaceSubrange(at..<(at + 100), with: bytes[at..<(at + 100)].reversed())
            return bytes
        },
        counting(700),
        medium("zeros-inside", of: bare) { LongMedium.inserting([UInt8](repeating: 0, count: 1000), beforeFrame: 600, of: $0) },
        medium("tag-inside", of: bare) { bytes in
            let id3: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 30, 0] + [UInt8](repeating: 65, count: 30 << 7)
            return LongMedium.inserting(id3, beforeFrame: 800, of: bytes)
        },
        medium("frames-of-junk", of: bare) { LongMedium.inserting([UInt8](repeating: 7, count: 5224), beforeFrame: 500, of: $0) },
        medium("joined", of: bare) { $0 + $0.prefix(400_000) },
        medium("truncated", of: cbr) { Array($0.prefix($0.count * 2 / 3)) },
        medium("tag-behind", of: bare) { $0 + Array("APETAGEX".utf8) + [UInt8](repeating: 3, count: 60_000) },
    ]

    @Test("a position that is not called estimated is the exact one", arguments: media)
    func truth(_ medium: LongMedium) throws {
        let bytes = try medium.bytes(), whole = try medium.samples()
        var random = SeededGenerator(seed: 9), reader = try medium.remote(bytes).reader, exact = 0
        for number in 0..<8 {
            if number % 4 == 3 { reader = try medium.remote(bytes).reader }
            let target = Int.random(in: 0..<(whole.count - 20_000), using: &random)
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0, allowsEstimate: true) == Int64(target))
            let block = try #require(try reader.read(), "to \(target)")
            if reader.isPositionEstimated { continue }
            exact += 1
            #expect(Reading.difference(block, whole, first: target) <= 0x1p-15, "to \(target)")
        }
        if medium.name == "truncated" { #expect(exact == 8) }
    }
}

@Suite("Exact seeks in long local MPEG audio")
struct LongSeekTests {
    static let media = LongMedium.constant + LongMedium.variable + LyingTagTests.media

    @Test("seeks to known and unknown positions give the samples of uninterrupted reading (R-SEEK-01)", arguments: media)
    func seeks(_ medium: LongMedium) throws {
        let url = try medium.url(), whole = try medium.samples()
        var random = SeededGenerator(seed: 4), reader = try Reading.open(url)
        for number in 0..<6 {
            if number % 3 == 2 { reader = try Reading.open(url) }
            let target = Int.random(in: 0..<(whole.count - 20_000), using: &random)
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0, allowsEstimate: true) == Int64(target))
            let block = try #require(try reader.read())
            #expect(Reading.difference(block, whole, first: target) <= 0x1p-15, "to \(target)")
            #expect(!reader.isPositionEstimated)
        }
    }

    @Test(
        "an examination of the rest makes the length exact, and does not move the position (R-ASSET-16)",
        arguments: LongMedium.constant.dropFirst() + LongMedium.variable.dropFirst())
    func length(_ medium: LongMedium) throws {
        let url = try medium.url(), reader = try Reading.open(url), whole = try medium.samples()
        var heard = try Reading.samples(reader, limit: 8192)
        #expect(!reader.duration.isExact)
        while try reader.examine() {}
        #expect(reader.duration == .exact(frames: Int64(whole.count), sampleRate: medium.rate))
        heard += try Reading.samples(reader)
        #expect(heard == whole)
    }

    @Test("an examination that is cancelled continues at the next call (R-ASSET-16)")
    func cancelled() throws {
        let medium = LongMedium.variable[1], whole = try medium.samples().count, interrupt = Interrupt()
        let reader = try FFmpegOpener().open(CountingSource(medium.bytes()), MediaSource(.file(path: "")), interrupt: interrupt)
        _ = try reader.read()
        interrupt.raise()
        #expect(throws: PlaybackError.self) { while try reader.examine() {} }
        interrupt.clear()
        while try reader.examine() {}
        #expect(reader.duration == .exact(frames: Int64(whole), sampleRate: medium.rate))
    }

    @Test("bytes that cannot be read end the examination, and the audio before them is read (R-ASSET-16)")
    func unreadable() throws {
        let medium = LongMedium.variable[1], bytes = try medium.bytes()
        let source = CountingSource(bytes)
        let reader = try FFmpegOpener().open(source, MediaSource(.file(path: "")), interrupt: Interrupt())
        _ = try reader.read()
        source.failsFrom = Int64(bytes.count / 2)
        #expect(throws: PlaybackError.self) { while try reader.examine() {} }
        #expect(try !reader.examine() && !reader.duration.isExact)
        #expect(try Reading.samples(reader, limit: 8192).count == 8192)
    }

    @Test("a tag that states too few frames does not end the audio, whose length is exact at its end (R-ASSET-17)", arguments: [true, false])
    func tooFewFrames(_ isRemote: Bool) throws {
        let whole = try LongMedium.constant[0].samples()
        // Samples of a local file show that 700 frames are too few.
        let medium = LyingTagTests.counting(isRemote ? 700 : 1100)
        let reader: any AudioReader = isRemote ? try medium.remote().reader : try Reading.open(medium.url())
        let heard = try Reading.samples(reader)
        // Without the right number of frames, the padding is audio too.
        #expect(heard.starts(with: whole) && heard.count < whole.count + 3 * 1152)
        #expect(reader.duration == .exact(frames: Int64(heard.count), sampleRate: medium.rate))
    }

    @Test("the headers are read in large portions, without FFmpeg", arguments: [LongMedium.constant[1], LongMedium.variable[1]])
    func portions(_ medium: LongMedium) throws {
        let bytes = try medium.bytes(), source = CountingSource(bytes)
        let reader = try FFmpegOpener().open(source, MediaSource(.file(path: "")), interrupt: Interrupt())
        let before = source.reads
        _ = try reader.seek(to: Int64(33 * medium.rate), before: 0, after: 0)
        // The walk reads 256 KiB at once, and finds the end. FFmpeg reads the first frames, and 64 KiB at the target.
        let reads = source.reads - before
        #expect(reads <= bytes.count >> 18 + 5 && reads < bytes.count >> 16, "\(reads) reads of \(bytes.count) bytes")
    }
}
