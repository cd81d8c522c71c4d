import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Screening of tags before FFmpeg")
struct TagScreenTests {
    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    private static func syncSafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (21 - 7 * $0) & 0x7F) } }

    /// Returns the bytes of a frame of an ID3v2 tag. If the frame is compressed, `unfolded` is the length after decompression that it states, in
    /// bytes.
    private static func frame(_ name: String, _ content: [UInt8], unfolded: Int? = nil) -> [UInt8] {
        let content = (unfolded.map(number) ?? []) + content
        return Array(name.utf8) + number(content.count) + [0, unfolded == nil ? 0 : 9] + content
    }
    private static func tag(_ frames: [[UInt8]], version: UInt8 = 3) -> [UInt8] {
        let frames = frames.flatMap(\.self)
        return Array("ID3".utf8) + [version, 0, 0] + syncSafe(frames.count) + frames
    }
    private static func text(_ text: String) -> [UInt8] { [3] + Array(text.utf8) }

    /// Returns bytes in the format of zlib, in a block without compression (RFC 1950, RFC 1951, 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        var a: UInt32 = 1, b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let ends = [count, ~count].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return [0x78, 0x01, 0x01] + ends + bytes + number(Int(b << 16 | a))
    }

    private func patches(_ bytes: [UInt8]) throws -> [Int64: UInt8] {
        let url = try TestMedia.shared.file("screen-\(UUID().uuidString).bin") { try Data(bytes).write(to: $0) }
        return try TagScreen(HeadSource(FileSource(path: FilePath(url.path)))).patches
    }

    @Test("compressed frames are hidden after 1 MiB of stated length in total, and the others remain")
    func bounded() throws {
        let small = Self.frame("TIT2", Self.text("Title"))
        let large = (0..<20).map { Self.frame("TXX\($0 % 10)", [1, 2, 3], unfolded: 300_000) }
        let found = try patches(Self.tag([small] + large))
        #expect(found.count == 17)
        let size = large[0].count
        #expect(found.keys.sorted() == (3..<20).map { Int64(10 + small.count + $0 * size) })
    }

    @Test("compressed frames are found in consecutive tags and in chunks", arguments: ["twice", "wave", "aiff", "dsf"])
    func places(_ place: String) throws {
        let tag = Self.tag([Self.frame("TIT2", [1], unfolded: 2 << 20)])
        let chunk: (String, [UInt8], Bool) -> [UInt8] = { name, content, isLittle in
            Array(name.utf8) + (isLittle ? Self.number(content.count).reversed() : Self.number(content.count)) + content
        }
        let bytes: [UInt8] =
            switch place {
            case "twice": Self.tag([Self.frame("TIT2", Self.text("x"))]) + tag
            case "wave": chunk("RIFF", Array("WAVE".utf8) + chunk("data", [0, 0, 0, 0], true) + chunk("id3 ", tag, true), true)
            case "aiff": chunk("FORM", Array("AIFF".utf8) + chunk("SSND", [0, 0], false) + chunk("ID3 ", tag, false), false)
            default: Array("DSD ".utf8) + [UInt8](repeating: 0, count: 16) + [40, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + tag
            }
        #expect(try patches(bytes + [UInt8](repeating: 0, count: 100)).count == 1)
    }

    @Test("in a version 2.4 tag, frames are found after both encodings of a length")
    func spellings() throws {
        let long = Self.text(String(repeating: "a", count: 299))
        let plain = Array("TIT2".utf8) + Self.number(long.count) + [0, 0] + long
        let safe = Array("TIT3".utf8) + Self.syncSafe(long.count) + [0, 0] + long
        let bad = Self.frame("TALB", [1], unfolded: 2 << 20)
        let found = try patches(Self.tag([plain, safe, bad, bad], version: 4))
        #expect(found.keys.sorted() == [Int64(10 + plain.count + safe.count), Int64(10 + plain.count + safe.count + bad.count)])
    }

    @Test("screening leaves the rest of a tag unchanged, so that a title after many compressed frames is reported")
    func title() throws {
        let sound = try [UInt8](
            Data(
                contentsOf: TestMedia.shared.encoded(
                    BadInputTests.signal, as: "screened", "mp3", ["-c:a", "libmp3lame", "-id3v2_version", "0", "-write_xing", "0"])))
        let unfolded = Self.text(String(repeating: "b", count: 30_000))
        let compressed = (0..<100).map {
            Self.frame("TXXX", Self.stored([3] + Array("key \($0)".utf8) + [0] + unfolded.dropFirst()), unfolded: unfolded.count + 7)
        }
        let tag = Self.tag([Self.frame("TPE1", Self.text("Artist"))] + compressed + [Self.frame("TIT2", Self.text("Title"))])
        let url = try BadInputTests.file("screened-title.mp3", tag + sound)
        let info = try FFmpegOpener().open(MediaSource(.file(path: url.path)), interrupt: Interrupt()).info
        #expect(info.metadata.contains(MetadataEntry(key: "title", value: "Title")))
        #expect(info.metadata.contains(MetadataEntry(key: "artist", value: "Artist")))
        let kept = info.metadata.filter { $0.key.hasPrefix("key") }.count
        #expect(kept > 20 && kept < 36)
    }

    @Test("a tag with too many frames ends there")
    func many() throws {
        let found = try patches(Self.tag((0..<17_000).map { _ in Self.frame("TIT2", Self.text("x")) }))
        let end = Int64(10 + 16_384 * 12)
        #expect(found == [end: 0, end + 7: 1])
    }

    @Test("a tag with too much padding ends there, because FFmpeg would read the frames after it")
    func padded() throws {
        let frames = [Self.frame("TPE1", Self.text("Artist")), [UInt8](repeating: 0, count: 200_000), Self.frame("TIT2", Self.text("Title"))]
        let url = try BadInputTests.file("screened-padding.mp3", Self.tag(frames) + BadInputTests.mp3())
        #expect(
            try Reading.open(url).info.metadata.filter { ["artist", "title"].contains($0.key) } == [MetadataEntry(key: "artist", value: "Artist")])
    }

    @Test("frames are counted in a tag of version 2.2 too")
    func old() throws {
        let frame = Array("TT2".utf8) + [0, 0, 2, 0, 0x61]
        let frames = (0..<17_000).flatMap { _ in frame }
        let end = Int64(10 + 16_384 * frame.count)
        #expect(try patches(Array("ID3".utf8) + [2, 0, 0] + Self.syncSafe(frames.count) + frames) == [end: 0, end + 5: 1])
    }

    @Test("tags after the 64th, which is the last one that FFmpeg reads, are not screened")
    func tags() throws {
        let empty = Self.tag([]), last = Self.tag([Self.frame("TIT2", Self.text("Title"))])
        #expect(try patches((0..<70).flatMap { _ in empty }) == [640: 0])
        let sound = try BadInputTests.mp3()
        for (count, titles) in [(63, 1), (64, 0)] {
            let url = try BadInputTests.file("screened-tags-\(count).mp3", (0..<count).flatMap { _ in empty } + last + sound)
            #expect(try Reading.open(url).info.metadata.count { $0.key == "title" } == titles, "\(count)")
        }
    }

    @Test("screening ends when the interrupt is raised", arguments: ["tags", "frames", "chunks"])
    func interrupted(_ kind: String) throws {
        let bytes: [UInt8] =
            switch kind {
            case "tags": (0..<60).flatMap { _ in Self.tag([]) }
            case "frames": Self.tag((0..<60).map { _ in Self.frame("TIT2", Self.text("x")) })
            default: Array("RIFF".utf8) + [0, 1, 0, 0] + Array("WAVE".utf8) + (0..<60).flatMap { _ in Self.chunk("none", []) }
            }
        let interrupt = Interrupt(), source = CountingSource(bytes, raising: interrupt, atRead: 20)
        #expect(throws: PlaybackError.cancelled) { try TagScreen(HeadSource(BudgetedSource(source, interrupt: interrupt))) }
        #expect(source.reads == 20)
    }

    // MARK: Chunks

    private static func chunk(_ name: String, _ content: [UInt8], isLittle: Bool = true) -> [UInt8] {
        Array(name.utf8) + (isLittle ? number(content.count).reversed() : number(content.count)) + content
    }
    /// Returns a WAV file with chunks before and after its audio.
    private static func wave(_ before: [UInt8], _ behind: [UInt8] = []) -> [UInt8] {
        let format: [UInt8] = [1, 0, 1, 0, 0x44, 0xAC, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0]
        return chunk("RIFF", Array("WAVE".utf8) + chunk("fmt ", format) + before + chunk("data", [UInt8](repeating: 0, count: 8000)) + behind)
    }
    private static let unfolding = tag([frame("TIT2", [1], unfolded: 2 << 20)])

    @Test("compressed frames are found in later tags of a chunk, other byte orders, nested chunks and ea3 tags")
    func otherPlaces() throws {
        let bad = Self.unfolding, none = [UInt8](repeating: 0, count: 100)
        #expect(try patches(Self.wave(Self.chunk("ID3 ", Self.tag([]) + bad))).count == 1)
        #expect(try patches(Self.chunk("RIFX", Array("WAVE".utf8) + Self.chunk("ID3 ", bad, isLittle: false), isLittle: false) + none).count == 1)
        let long: (String, [UInt8]) -> [UInt8] = { name, content in Array(name.utf8) + Self.number(0) + Self.number(content.count) + content }
        let property = long("PROP", Array("SND ".utf8) + long("ID3 ", bad))
        #expect(try patches(long("FRM8", Array("DSD ".utf8) + property + none)).count == 1)
        #expect(try patches(Self.tag([]) + Array("ea3".utf8) + bad.dropFirst(3) + none).count == 1)
    }

    @Test("compressed frames are found after audio with a 64-bit size")
    func longSize() throws {
        // The chunk has three sizes of 64 bits (of the file, of the audio, and the number of samples), and no table of further sizes.
        var sizes = [UInt8](repeating: 0, count: 28)
        sizes[8] = 50
        let sound = Array("data".utf8) + [UInt8](repeating: 0xFF, count: 4) + [UInt8](repeating: 0, count: 50)
        let content: [UInt8] = Array("WAVE".utf8) + Self.chunk("ds64", sizes) + sound + Self.chunk("id3 ", Self.unfolding)
        let file: [UInt8] = Array("RF64".utf8) + [UInt8](repeating: 0xFF, count: 4) + content + [UInt8](repeating: 0, count: 100)
        #expect(try patches(file).count == 1)
    }

    @Test("without positioning, compressed frames before the audio are found")
    func sequential() throws {
        let source = CountingSource(Self.wave(Self.chunk("id3 ", Self.unfolding)), isSeekable: false)
        #expect(try TagScreen(HeadSource(source)).patches.count == 1)
    }

    @Test("chunks after the 4,096th, which FFmpeg does not read either, are not screened")
    func chunks() throws {
        let title = Self.chunk("id3 ", Self.tag([Self.frame("TIT2", Self.text("Title"))]))
        for (count, titles) in [(4000, 1), (5000, 0)] {
            let empty = (0..<count).flatMap { _ in Self.chunk("none", []) }
            let url = try BadInputTests.file("screened-chunks-\(count).wav", Self.wave([], empty + title))
            let info = try Reading.open(url).info
            #expect(info.metadata.count { $0.key == "title" } == titles, "\(count)")
        }
    }

    @Test("1,024 cue points of a WAV file remain, from one chunk or several", arguments: [[100_000], [1000, 1000, 1000], [5]])
    func cues(_ counts: [Int]) throws {
        var points: [UInt8] = []
        for (number, count) in counts.enumerated() {
            var list: [UInt8] = Self.number(count).reversed()
            for point in 0..<count {
                // The numbers of the cue points descend, so that FFmpeg compares each one with all others.
                let name = (1 << 24) - (number << 20) - point
                list += Self.number(name).reversed()
                list += [UInt8](repeating: 0, count: 16)
                list += Self.number(point).reversed()
            }
            points += Self.chunk("cue ", list)
        }
        let url = try BadInputTests.file("screened-cues-\(counts.count)-\(counts[0]).wav", Self.wave(points))
        #expect(try Reading.open(url).info.chapters.count == min(1024, counts.reduce(0, +)))
    }

    @Test("a tag truncated at any byte does not trap")
    func cut() throws {
        let whole = Self.tag([Self.frame("TIT2", Self.text("Title")), Self.frame("TALB", [1, 2], unfolded: 2 << 20)], version: 4)
        for count in 1..<whole.count { _ = try patches(Array(whole[..<count])) }
    }
}
