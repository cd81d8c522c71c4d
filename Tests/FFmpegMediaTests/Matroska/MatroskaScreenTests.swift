import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Matroska headers")
struct MatroskaScreenTests {
    private func screen(_ bytes: [UInt8], isSequential: Bool = false) throws -> MatroskaScreen {
        let url = try TestMedia.shared.file("matroska-\(UUID().uuidString).mka") { try Data(bytes).write(to: $0) }
        let source: any ByteSource = isSequential ? SequentialBytes(bytes) : try FileSource(path: FilePath(url.path))
        return try MatroskaScreen(HeadSource(source), at: 0)
    }
    private func failure(_ bytes: [UInt8], isSequential: Bool = false) throws -> PlaybackError.Code? {
        do {
            _ = try screen(bytes, isSequential: isSequential)
            return nil
        } catch let error as PlaybackError { return error.code }
    }
    private let good = Elements.file(Elements.info, Elements.tracks, Elements.cluster)

    @Test("the header of an ordinary file is not changed")
    func ordinary() throws {
        let found = try screen(good)
        #expect(found.patches.isEmpty && found.cues.isEmpty)
        let notes = try TestMedia.shared.file("matroska-notes.txt") {
            try Data(";FFMETADATA1\ntitle=Song\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=100\ntitle=One\n".utf8).write(to: $0)
        }
        for ending in ["mka", "webm"] {
            let url = try TestMedia.shared.encoded(
                TestSignal(sampleRate: 48_000, frameCount: 48_000), as: "matroska-ordinary", ending,
                ["-i", notes.path, "-map", "0:a", "-map_metadata", "1", "-c:a", "libvorbis"])
            let found = try screen([UInt8](Data(contentsOf: url)))
            #expect(found.patches.isEmpty)
            #expect(try Reading.open(url).info.metadata.contains { $0.key == "title" })
        }
    }

    @Test("compressed decoder data is refused, unless only the header is stripped", arguments: [0, 1, 2, 3] as [UInt64])
    func compressed(_ algorithm: UInt64) throws {
        for (scope, isRefused) in [(UInt64(1), false), (2, algorithm != 3), (3, algorithm != 3)] {
            let track = Elements.track(Elements.element(0x63A2, [1, 2, 3]) + Elements.encoding(algorithm: algorithm, scope: scope))
            let bytes = Elements.file(Elements.info, Elements.element(0x1654_AE6B, track), Elements.cluster)
            #expect(try (failure(bytes) == .corruptMedia) == isRefused, "scope \(scope)")
        }
    }

    @Test("compressed decoder data is refused in tracks that SeekHead names, after the audio and through a nested SeekHead")
    func target() throws {
        let track = Elements.track(Elements.element(0x63A2, [1, 2, 3]) + Elements.encoding(algorithm: 0, scope: 2))
        let bad = Elements.element(0x1654_AE6B, track), length = Elements.seek(0x1654_AE6B, 0).count
        let before = length + Elements.info.count + Elements.cluster.count
        #expect(try failure(Elements.file(Elements.seek(0x1654_AE6B, before), Elements.info, Elements.cluster, bad)) == .corruptMedia)
        let far = Elements.seek(0x114D_9B74, before)
        let nested = Elements.seek(0x1654_AE6B, before + length)
        #expect(try failure(Elements.file(far, Elements.info, Elements.cluster, nested, bad)) == .corruptMedia)
        // FFmpeg does not read an element after the first cluster that no SeekHead names. So such an element is not refused.
        #expect(try failure(Elements.file(Elements.info, Elements.tracks, Elements.cluster, bad)) == nil)
    }

    @Test("more than 256 tracks or too many elements are refused")
    func many() throws {
        let tracks = { (count: Int) in Elements.element(0x1654_AE6B, (0..<count).flatMap { _ in Elements.track() }) }
        #expect(try failure(Elements.file(Elements.info, tracks(256), Elements.cluster)) == nil)
        #expect(try failure(Elements.file(Elements.info, tracks(257), Elements.cluster)) == .corruptMedia)
        let encodings = [UInt8](repeating: 0, count: 150_000).flatMap { _ in [0x62, 0x40, 0x80] as [UInt8] }
        let track = Elements.track(Elements.element(0x6D80, encodings))
        #expect(try failure(Elements.file(Elements.info, Elements.element(0x1654_AE6B, track), Elements.cluster)) == .corruptMedia)
        let voids = [UInt8](repeating: 0, count: 150_000).flatMap { _ in [0xEC, 0x80] as [UInt8] }
        #expect(try failure(Elements.file(Elements.info, voids, Elements.tracks, Elements.cluster)) == .corruptMedia)
    }

    @Test("a header with the maximum numbers of chapters, tags, tracks and attached files is not refused")
    func full() throws {
        let voids = { (count: Int) in (0..<count).flatMap { _ in [0xEC, 0x80] as [UInt8] } }
        let chapter = [0xB6, 0x92] + voids(9), tag = [0x73, 0x73, 0x8B, 0x67, 0xC8, 0x80] + voids(4), file = [0x61, 0xA7, 0x8A] + voids(5)
        let chapters = Elements.element(0x1043_A770, Elements.element(0x45B9, (0..<8192).flatMap { _ in chapter }))
        let tags = Elements.element(0x1254_C367, (0..<8192).flatMap { _ in tag })
        #expect(try screen(Elements.file(chapters, tags, Elements.info, Elements.tracks, Elements.cluster)).patches.isEmpty)
        let tracks = Elements.element(0x1654_AE6B, (0..<256).flatMap { _ in Elements.track(voids(35)) })
        let files = Elements.element(0x1941_A469, (0..<256).flatMap { _ in file })
        #expect(try failure(Elements.file(chapters, tags, Elements.info, tracks, files, Elements.cluster)) == nil)
    }

    @Test("tags and chapters beyond the limit are hidden, and the preceding ones kept")
    func lists() throws {
        let tags = { (count: Int) in
            Elements.element(0x1254_C367, Elements.element(0x7373, (0..<count).flatMap { _ in [0x67, 0xC8, 0x80] as [UInt8] }))
        }
        let chapters = { (count: Int) in
            Elements.element(0x1043_A770, Elements.element(0x45B9, (0..<count).flatMap { _ in [0xB6, 0x80] as [UInt8] }))
        }
        #expect(try screen(Elements.file(tags(8000), chapters(8192), Elements.tracks, Elements.cluster)).patches.isEmpty)
        let bytes = Elements.file(tags(8000), tags(400), chapters(9000), Elements.tracks, Elements.cluster)
        let second = Elements.segment + tags(8000).count, third = second + tags(400).count
        #expect(try screen(bytes).patches.keys.sorted() == [Int64(second) + 3, Int64(third) + 3])
        #expect(try failure(bytes, isSequential: true) == .corruptMedia)
    }

    @Test("tags are hidden that FFmpeg would copy to many chapters of one number")
    func copies() throws {
        let tags = Elements.element(0x1254_C367, Elements.element(0x7373, (0..<100).flatMap { _ in [0x67, 0xC8, 0x80] as [UInt8] }))
        let chapters = { (count: Int, step: UInt64) in
            Elements.element(
                0x1043_A770, Elements.element(0x45B9, (0..<count).flatMap { Elements.element(0xB6, Elements.number(0x73C4, 7 + UInt64($0) * step)) }))
        }
        #expect(try screen(Elements.file(tags, chapters(100, 0), Elements.tracks, Elements.cluster)).patches.count == 1)
        #expect(try screen(Elements.file(tags, chapters(100, 1), Elements.tracks, Elements.cluster)).patches.isEmpty)
    }

    @Test("attached files are hidden if they are not pictures or too large")
    func attachments() throws {
        let file = { (type: String, size: Int) in
            Elements.element(0x61A7, Elements.element(0x4660, Array(type.utf8)), Elements.element(0x465C, [UInt8](repeating: 0, count: size)))
        }
        let font = file("font/otf", 100), picture = file("image/png", 100), large = file("image/jpeg", 17 << 20)
        let bytes = Elements.file(Elements.tracks, Elements.element(0x1941_A469, font, picture, large), Elements.cluster)
        let start = Elements.segment + Elements.tracks.count + 12
        #expect(try screen(bytes).patches.keys.sorted() == [Int64(start) + 1, Int64(start + font.count + picture.count) + 1])
    }

    @Test("a malformed element before the first cluster is refused, because FFmpeg would then search inside elements")
    func malformed() throws {
        var long = Elements.tracks
        long[11] += 1
        let broken: [[UInt8]] = [
            // In order: an element longer than its parent, an element without a length, a number of nine bytes, no element name, no cluster, a
            // truncated file.
            Elements.file(Elements.info, Elements.element(0x1254_C367, Elements.name(0x7373) + [0x85, 0]), Elements.tracks, Elements.cluster),
            Elements.file(Elements.info, Elements.name(0x1654_AE6B) + [0xFF], Elements.track(), Elements.cluster),
            Elements.file(
                Elements.element(0x1549_A966, Elements.element(0x2AD7B1, [UInt8](repeating: 1, count: 9))), Elements.tracks, Elements.cluster),
            Elements.file(Elements.info, [0], Elements.tracks, Elements.cluster),
            Elements.file(Elements.info, Elements.tracks),
            Array(Elements.file(Elements.info, Elements.tracks, Elements.cluster).prefix(Elements.segment + Elements.info.count + 20)),
            Elements.head + [0xEC, 0x80] + good.dropFirst(Elements.head.count),
        ]
        for (number, bytes) in broken.enumerated() { #expect(try failure(bytes) == .corruptMedia, "number \(number)") }
        #expect(try failure(good) == nil)
        for count in Elements.head.count..<good.count - Elements.cluster.count { #expect(try failure(Array(good[..<count])) == .corruptMedia) }
    }

    @Test("without positioning, unknown elements are refused if FFmpeg would treat them as damage")
    func unknown() throws {
        let unknown = { (count: Int, size: Int) in (0..<count).flatMap { _ in Elements.element(0x4FFF, [UInt8](repeating: 0, count: size)) } }
        for (count, size, isRefused) in [(3, 10, false), (30, 10, true), (1, 2 << 20, true)] {
            let bytes = Elements.file(Elements.info, unknown(count, size), Elements.tracks, Elements.cluster)
            #expect(try (failure(bytes, isSequential: true) == .corruptMedia) == isRefused)
            #expect(try failure(bytes) == nil)
        }
    }

    @Test("a segment of unknown length, as live servers send it, is screened too")
    func live() throws {
        let parts = Elements.info + Elements.tracks + Elements.name(0x1F43_B675) + [0xFF] + Elements.number(0xE7, 0)
        let bytes = Elements.head + Elements.name(0x1853_8067) + [0x01] + [UInt8](repeating: 0xFF, count: 7) + parts
        #expect(try failure(bytes) == nil && failure(bytes, isSequential: true) == nil)
    }

    /// The elements to which the SeekHead refers as cues (real cues, other elements, cues of invalid lengths), and whether FFmpeg may read each.
    private static let cues: [([UInt8], Bool)] = [
        (Elements.element(0x1C53_BB6B, [0xBB, 0x80]), true), (Elements.tracks, false),
        (Elements.name(0x1C53_BB6B) + [0x01] + Boxes.bytes(3 << 20, 7), false), (Elements.name(0x1C53_BB6B) + [0xFF], false),
    ]
    private static let beforeCues = Elements.seek(0x1C53_BB6B, 0).count + Elements.tracks.count + Elements.cluster.count

    @Test("in a file, the SeekHead entry of cues that are too large or another element is removed")
    func cues() throws {
        for (element, isKept) in Self.cues {
            let found = try screen(Elements.file(Elements.seek(0x1C53_BB6B, Self.beforeCues), Elements.tracks, Elements.cluster, element))
            #expect(found.patches.isEmpty == isKept && found.cues.isEmpty)
            // The offset of the cues' name in the SeekHead: after the heads of the elements SeekHead, Seek and SeekID.
            let name = Int64(Elements.segment + 12 + 10 + 10)
            if !isKept { #expect(found.patches == [name: 0x1F, name + 1: 0x43, name + 2: 0xB6, name + 3: 0x75]) }
        }
    }

    @Test("in a server's medium, such cues are hidden when FFmpeg seeks to them, and not when it reads past them")
    func remoteCues() throws {
        for (element, isKept) in Self.cues {
            let bytes = [UInt8](repeating: 7, count: 100_000) + element, source = HeadSource(ClaimedBytes(bytes, length: 1 << 20, limit: 200_000))
            source.hideInvalidCues(at: [100_000])
            #expect(
                try source.bytes(99_000..<100_012).suffix(12).elementsEqual(
                    bytes[100_000...].prefix(12) + [UInt8](repeating: 0, count: 12).prefix(max(0, 12 - element.count))))
            #expect(try source.bytes(0..<10).count == 10)
            #expect(try source.bytes(100_000..<100_012).first == (isKept ? 0x1C : 0xEC))
        }
    }

    @Test("a recording with too many tags before its audio plays unchanged, with exact seeks")
    func sound() throws {
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100 * 4), as: "matroska-sound", "mka", ["-c:a", "flac"])
        var bytes = try [UInt8](Data(contentsOf: url))
        let segment = try #require(bytes.indices.first { bytes[$0...].starts(with: Elements.name(0x1853_8067)) })
        let cluster = try #require(bytes.indices.first { bytes[$0...].starts(with: Elements.name(0x1F43_B675)) })
        let tags = (0..<9000).flatMap { number in
            Elements.element(0x67C8, Elements.element(0x45A3, Array("key \(number)".utf8)), Elements.element(0x4487, [0x61]))
        }
        let more = Elements.element(0x1254_C367, Elements.element(0x7373, tags))
        let size = bytes[(segment + 5)..<(segment + 12)].reduce(0) { $0 << 8 | UInt64($1) } + UInt64(more.count)
        try #require(bytes[segment + 4] == 1)
        bytes.replaceSubrange((segment + 5)..<(segment + 12), with: Boxes.bytes(size, 7))
        bytes.insert(contentsOf: more, at: cluster)
        let reader = try Reading.open(BadInputTests.file("matroska-tagged.mka", bytes))
        #expect(!reader.info.metadata.contains { $0.key.hasPrefix("key") })
        let whole = try Reading.samples(Reading.open(url))
        #expect(try Reading.samples(reader) == whole)
        #expect(try reader.seek(to: 100_000, before: 0, after: 0) == 100_000)
        #expect(try Reading.samples(reader, limit: 5000) == whole.frames(100_000..<105_000, of: 2))
    }

    @Test("screening a server's medium needs no additional request", arguments: [false, true])
    func requests(_ hasTail: Bool) throws {
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100 * 30), as: "matroska-remote", "mka", ["-c:a", "pcm_s16le"])
        var bytes = try [UInt8](Data(contentsOf: url))
        if hasTail {
            // The tags are moved after the audio, and the SeekHead names their new position.
            let place = try #require(bytes.indices.prefix(4096).last { bytes[$0...].starts(with: Elements.name(0x1254_C367)) })
            let head = try #require(EBMLHead(bytes[place...].prefix(EBMLHead.maximumLength))), size = Int(head.length + (head.size ?? 0))
            let segment = try #require(bytes.indices.first { bytes[$0...].starts(with: Elements.name(0x1853_8067)) }) + 12
            let tags = Array(bytes[place..<(place + size)])
            let entry = Elements.name(0x53AB) + [0x84] + Elements.name(0x1254_C367) + Elements.name(0x53AC)
            let at = try #require(bytes.indices.first { bytes[$0...].starts(with: entry) }) + entry.count, width = Int(bytes[at] & 0x7F)
            bytes.replaceSubrange((at + 1)..<(at + 1 + width), with: Boxes.bytes(UInt64(bytes.count - segment), width))
            bytes.replaceSubrange(place..<(place + 1), with: [0xEC])
            bytes.replaceSubrange((place + 1)..<(place + 9), with: [0x01] + Boxes.bytes(UInt64(size - 9), 7))
            bytes += tags
        }
        let served = bytes, server = try MediaServer { _ in .bytes(served, ranges: true) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/a.mka"))
        #expect(reader.info.metadata.contains { $0.key == "encoder" })
        #expect(server.requests.count == (hasTail ? 2 : 1))
    }
}
