import CFFmpeg
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

/// Boxes of MP4 files.
enum Boxes {
    /// Big-endian.
    static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }
    static func numbers(_ values: UInt64...) -> [UInt8] { values.flatMap { bytes($0, 4) } }
    static func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        return bytes(UInt64(content.count + 8), 4) + Array(name.utf8) + content
    }

    /// An audio track whose samples have one size and a duration of `duration` ticks each. `edits` precedes its media, `described` ends its
    /// description.
    static func track(
        _ id: UInt64, samples: UInt64, size: UInt64, duration: UInt64, perChunk: UInt64, handler: String = "soun", edits: [UInt8] = [],
        described: [UInt8] = []
    ) -> [UInt8] {
        // Six bytes and the data reference; version, revision, vendor; channels, bits; compression, packet size; rate.
        let description = bytes(1, 8) + numbers(0, 0) + bytes(2, 2) + bytes(16, 2) + numbers(0) + bytes(44_100 << 16, 4)
        let tables = box(
            "stbl", box("stsd", numbers(0, 1), box("sowt", description + described)), box("stts", numbers(0, 1, samples, duration)),
            box("stsc", numbers(0, 1, 1, perChunk, 1)), box("stsz", numbers(0, size, samples)), box("stco", numbers(0, 1, 4096)))
        let media = box(
            "mdia", box("mdhd", numbers(0, 0, 0, 44_100, samples, 0)), box("hdlr", numbers(0, 0) + Array(handler.utf8) + numbers(0, 0, 0) + [0]),
            box("minf", tables))
        return box("trak", box("tkhd", numbers(0, 0, 0, id) + [UInt8](repeating: 0, count: 68)), edits, media)
    }
    /// `count` equal edits: of the whole media, or invalid ones.
    static func edits(_ count: Int, duration: UInt64, time: UInt64 = 0) -> [UInt8] {
        let edit = numbers(duration, time, 65_536)
        return box("edts", box("elst", numbers(0, UInt64(count)) + (0..<count).flatMap { _ in edit }))
    }
    static func movie(_ tracks: [[UInt8]], _ more: [UInt8] = []) -> [UInt8] {
        box("ftyp", Array("isom".utf8) + numbers(0))
            + box("moov", box("mvhd", numbers(0, 0, 0, 1000, 0) + [UInt8](repeating: 0, count: 80)), tracks.flatMap(\.self), more)
    }
}

@Suite("Tables of an MP4 header")
struct MovieTableTests {
    /// The error from opening these bytes, followed by `zeros` zeros of media.
    private func failure(_ name: String, _ bytes: [UInt8], zeros: Int = 65_536) throws -> PlaybackError? {
        try BadInputTests.failure(BadInputTests.file("tables-\(name).mp4", bytes + Boxes.box("mdat", [UInt8](repeating: 0, count: zeros))).path)
    }

    @Test("tables of samples of one size are refused if the file cannot hold the samples, in twenty tracks or one")
    func constant() throws {
        for (name, count) in [("many", UInt64(20)), ("one", 1)] {
            let tracks = (1...count).map { Boxes.track($0, samples: 11_000_000, size: 1, duration: 1024, perChunk: 11_000_000) }
            #expect(try failure("constant-\(name)", Boxes.movie(tracks))?.code == .corruptMedia)
        }
    }

    @Test("chunks whose samples the file cannot hold are refused, because FFmpeg makes an entry for each thousand")
    func chunks() throws {
        let track = Boxes.track(1, samples: 10, size: 4, duration: 1, perChunk: 0xFFFF_FF00)
        #expect(try failure("chunks", Boxes.movie([track]))?.code == .corruptMedia)
    }

    @Test("tables are counted wherever FFmpeg reads them", arguments: ["udta", "meta", "ilst", "wave", "tref"])
    func elsewhere(_ place: String) throws {
        let table = Boxes.box("stsz", Boxes.numbers(0, 1, 11_000_000))
        let start = place == "meta" ? Boxes.numbers(0) + Boxes.box("hdlr", [UInt8](repeating: 0, count: 24)) : []
        let good = Boxes.track(1, samples: 100, size: 4, duration: 1, perChunk: 100)
        let inner = Boxes.box(place, start, table)
        #expect(try failure("elsewhere-\(place)", Boxes.movie([good], Boxes.box("udta", inner)))?.code == .corruptMedia)
    }

    @Test("compressed tables and duplicate tables are refused")
    func unusual() throws {
        let good = Boxes.track(1, samples: 100, size: 4, duration: 1, perChunk: 100)
        #expect(try failure("compressed", Boxes.movie([], Boxes.box("cmov", Boxes.numbers(0))))?.code == .corruptMedia)
        #expect(try failure("twice", Boxes.movie([good], Boxes.box("stsz", Boxes.numbers(0, 4, 100))))?.code == .corruptMedia)
        let keys = Boxes.box(
            "udta",
            Boxes.box("meta", Boxes.numbers(0), Boxes.box("hdlr", [UInt8](repeating: 0, count: 24)), Boxes.box("keys", Boxes.numbers(0, 1 << 24))))
        #expect(try failure("keys", Boxes.movie([good], keys))?.code == .corruptMedia)
    }

    @Test("a \"meta\" box whose handler is not within the first 1 MiB of all such boxes is refused")
    func far() throws {
        let good = Boxes.track(1, samples: 100, size: 4, duration: 1, perChunk: 100)
        for (name, size, count, isRefused) in [("one", 2 << 20, 1, true), ("several", 400_000, 3, true), ("few", 400_000, 2, false)] {
            let boxes = (0..<count).flatMap { _ in Boxes.box("meta", [UInt8](repeating: 0, count: size)) }
            let failure = try failure("far-\(name)", Boxes.movie([good], Boxes.box("udta", boxes)))
            #expect((failure?.code == .corruptMedia) == isRefused, "\(name)")
        }
    }

    @Test("tables of a valid file are accepted")
    func plain() throws {
        let good = Boxes.track(1, samples: 16_000, size: 4, duration: 1, perChunk: 16_000)
        #expect(try failure("plain", Boxes.movie([good])) == nil)
    }

    @Test("tables of a book of 72 hours at 48 kHz are accepted")
    func book() throws {
        let samples: UInt64 = 72 * 3600 * 48_000 / 1024
        let header = Boxes.movie([Boxes.track(1, samples: samples, size: 170, duration: 1024, perChunk: samples)])
        let url = try TestMedia.shared.file("tables-book.mp4") { url in
            try Data(header).write(to: url)
            // A sparse file: the zeros occupy no disk space.
            let file = try FileHandle(forWritingTo: url)
            try file.truncate(atOffset: samples * 170)
            try file.close()
        }
        var io: UnsafeMutablePointer<AVIOContext>?
        try #require(avio_open(&io, url.path, AVIO_FLAG_READ) >= 0)
        defer { avio_closep(&io) }
        let movie = try MovieHeader(#require(io))
        #expect(movie.isWhole && movie.tables.entryCount == Int64(samples))
        #expect(movie.fits(Int64(samples) * 170, known: Int64(samples) * 170))
        #expect(!movie.fits(1 << 20, known: 1 << 20))
        // Sparse zeros do not count as known bytes.
        #expect(!movie.fits(Int64(samples) * 170, known: 1 << 20))
    }

    @Test("tables inside a sample description are refused, because FFmpeg reads them there", arguments: ["sound", "wave", "behind"])
    func described(_ place: String) throws {
        let tables = Boxes.box("stts", Boxes.numbers(0, 1, 16_000_000, 1024)) + Boxes.box("stsz", Boxes.numbers(0, 1, 16_000_000))
        let described =
            switch place {
            case "sound": tables
            case "wave": Boxes.box("wave", Boxes.box("frma", Array("sowt".utf8)), tables)
            default: [UInt8]()
            }
        var track = Boxes.track(1, samples: 100, size: 4, duration: 1, perChunk: 100, described: described)
        if place == "behind" {
            // A description longer than its box: FFmpeg would read the following tables twice.
            let at = try #require(track.indices.first { track[$0...].starts(with: "sowt".utf8) }) - 4
            track.replaceSubrange(at..<(at + 4), with: Boxes.numbers(120))
        }
        #expect(try failure("described-\(place)", Boxes.movie([track]))?.code == .corruptMedia)
    }

    @Test("ordinary boxes inside a description are accepted")
    func ordinaryDescriptions() throws {
        for codec in ["aac", "alac"] {
            let url = try TestMedia.shared.encoded(TestSignal(frameCount: 4410), as: "described-\(codec)", "mov", ["-c:a", codec])
            var io: UnsafeMutablePointer<AVIOContext>?
            try #require(avio_open(&io, url.path, AVIO_FLAG_READ) >= 0)
            defer { avio_closep(&io) }
            #expect(try MovieHeader(#require(io)).fits(1 << 20, known: 1 << 20))
        }
    }

    @Test("descriptions after which FFmpeg would look for the next one at another offset are refused")
    func joinedDescriptions() {
        let fields = [UInt8](repeating: 0, count: 28), short = Boxes.box("sowt", [UInt8](repeating: 0, count: 8)), long = Boxes.box("sowt", fields)
        #expect(SampleDescriptions(Boxes.numbers(0, 2) + long + long, kind: .sound).isSafe)
        #expect(!SampleDescriptions(Boxes.numbers(0, 2) + short + long, kind: .sound).isSafe)
        #expect(SampleDescriptions(Boxes.numbers(0, 2) + short + short, kind: .other).isSafe)
        #expect(!SampleDescriptions(Boxes.numbers(0, 2) + long + long, kind: .picture).isSafe)
        #expect(!SampleDescriptions(Boxes.numbers(0, 2) + long, kind: .sound).isSafe)
    }

    // MARK: Edits

    /// The header of a file with these bytes.
    private func header(_ bytes: [UInt8]) throws -> MovieHeader {
        let source = SequentialBytes(bytes), io = try IOContext(source, interrupt: Interrupt())
        return try MovieHeader(#require(io.raw), isSequential: true)
    }

    @Test("samples are multiplied by all edits of their track, and beyond the limit FFmpeg is told to ignore the edits")
    func edits() throws {
        for count in [1500, 30_000] {
            let edits = Boxes.edits(count, duration: 1000)
            let header = try header(Boxes.movie([Boxes.track(1, samples: 1000, size: 1, duration: 2, perChunk: 1000, edits: edits)]))
            #expect(header.tables.editCount == Int64(count) && header.tables.editedCount == Int64(count) * 1000)
            #expect(header.multipliesByEdits)
        }
        // An ordinary second track does not change that.
        let many = Boxes.track(1, samples: 60_000, size: 1, duration: 2, perChunk: 60_000, edits: Boxes.edits(100, duration: 1000))
        let two = Boxes.track(2, samples: 10, size: 1, duration: 2, perChunk: 10, edits: Boxes.edits(2, duration: 20, time: 0xFFFF_FFF0))
        #expect(try header(Boxes.movie([many, two])).multipliesByEdits)
        #expect(try !header(Boxes.movie([two])).multipliesByEdits)
    }

    @Test("the number of edits is computed from the size of their box, as FFmpeg does, and not from its count")
    func statedEdits() throws {
        var edits = Boxes.edits(2000, duration: 1000)
        edits.replaceSubrange(20..<24, with: Boxes.numbers(1))
        let header = try header(Boxes.movie([Boxes.track(1, samples: 100_000, size: 1, duration: 2, perChunk: 100_000, edits: edits)]))
        #expect(header.tables.editCount == 2000 && header.multipliesByEdits)
    }

    // MARK: Claims

    @Test("entries that only a server's stated length supports are refused beyond a million, and accepted after the bytes have arrived")
    func claims() throws {
        let header = try header(Boxes.movie([Boxes.track(1, samples: 1 << 24, size: 1, duration: 1024, perChunk: 1 << 24)]))
        #expect(header.tables.entryCount == 1 << 24 && header.tables.claimedCount == 1 << 24)
        #expect(!header.fits(1 << 40, known: 65_536))
        #expect(header.fits(1 << 40, known: 1 << 27))
        let source = ClaimedBytes(Boxes.movie([Boxes.track(1, samples: 1 << 23, size: 1, duration: 1024, perChunk: 1 << 23)]), length: 1 << 40)
        let error = #expect(throws: PlaybackError.self) {
            try FFmpegOpener().open(source, MediaSource(.remote(url: "http://example.invalid/c.m4a")), interrupt: Interrupt())
        }
        #expect(error?.code == .corruptMedia)
    }

    @Test("samples with individual sizes need no other proof, because FFmpeg makes entries only from sizes that have arrived")
    func ownSizes() throws {
        let sizes = [UInt8](repeating: 1, count: 4 * 70_000), table = Boxes.box("stsz", Boxes.numbers(0, 0, 70_000) + sizes)
        var track = Boxes.track(1, samples: 70_000, size: 1, duration: 1024, perChunk: 70_000)
        let at = try #require(track.indices.first { track[$0...].starts(with: "stsz".utf8) })
        track.replaceSubrange(at..<(at + 4), with: Array("free".utf8))
        let header = try header(Boxes.movie([track + table]))
        // After the track, where FFmpeg reads the table too.
        #expect(header.tables.entryCount == 70_000 && header.tables.claimedCount == 0)
    }

    @Test("entries of a sparse file are accepted only as far as the file occupies disk space")
    func holes() throws {
        let header = Boxes.movie([Boxes.track(1, samples: 1 << 24, size: 1, duration: 2, perChunk: 1 << 24)])
        let url = try TestMedia.shared.file("tables-holes.m4a") { url in
            try Data(header).write(to: url)
            let file = try FileHandle(forWritingTo: url)
            try file.truncate(atOffset: 1 << 30)
            try file.close()
        }
        #expect(BadInputTests.failure(url.path)?.code == .corruptMedia)
    }

    // MARK: Fragments

    @Test("entries of fragments are counted whatever size their table states", arguments: ["long", "zero", "wide"])
    func sizes(_ size: String) throws {
        let content = Boxes.numbers(0, 16_000_000)
        let table: [UInt8] =
            switch size {
            case "long": Boxes.numbers(0x7FFF_FFFF) + Array("trun".utf8) + content
            case "zero": Boxes.numbers(0) + Array("trun".utf8) + content
            default: Boxes.numbers(1) + Array("trun".utf8) + Boxes.numbers(0, 24) + content
            }
        #expect(try failure("fragment-\(size)", fragmented(table))?.code == .corruptMedia)
    }

    @Test("entries of fragments are counted if each has few, and if their content exceeds the box")
    func small() throws {
        for (count, flags, fragments) in [(UInt64(64), UInt64(0), 8000), (1 << 20, 0x100, 2)] {
            let table = Boxes.box("trun", Boxes.numbers(flags, count))
            let bytes = (0..<fragments).flatMap { _ in table }
            var watch = FragmentWatch()
            (Boxes.box("tfhd", Boxes.numbers(0x20000, 1)) + bytes).withUnsafeBytes { watch.look(at: $0, offset: 0) }
            #expect(watch.entryCount(tracks: [1]) == Int64(count) * Int64(fragments))
            #expect(!FragmentWatch.holds(watch.total, in: Int64(bytes.count)))
        }
    }

    @Test("entries count only if a fragment names a track of the file")
    func noise() {
        let bytes = fragmented(1 << 20, fragments: 1)
        var watch = FragmentWatch()
        bytes.withUnsafeBytes { watch.look(at: $0, offset: 0) }
        #expect(watch.entryCount(tracks: [2, 3]) == 0)
        #expect(watch.entryCount(tracks: [1]) == 1 << 20)
        #expect(watch.entryCount(tracks: nil) == 1 << 20)
    }

    @Test("fragments that are read in parts and in any order are counted once")
    func order() {
        let bytes = fragmented(1000, fragments: 50)
        var watch = FragmentWatch()
        // A fragment has 64 bytes.
        for start in [5, 50, 20, 50, 30].map({ bytes.count - 64 * $0 }) + [0] {
            bytes[start...].withUnsafeBytes { watch.look(at: $0, offset: Int64(start)) }
        }
        #expect(watch.total == 50_000)
    }

    /// A file with tables of fragments of `count` samples each, without content.
    private func fragmented(_ count: UInt64, fragments: Int) -> [UInt8] {
        fragmented(Boxes.box("trun", Boxes.numbers(0, count)), fragments: fragments)
    }
    private func fragmented(_ table: [UInt8], fragments: Int = 1) -> [UInt8] {
        let good = Boxes.track(1, samples: 0, size: 4, duration: 1, perChunk: 1)
        let extends = Boxes.box("mvex", Boxes.box("trex", Boxes.numbers(0, 1, 1, 1024, 4, 0)))
        let fragment = Boxes.box(
            "moof", Boxes.box("mfhd", Boxes.numbers(0, 1)),
            Boxes.box("traf", Boxes.box("tfhd", Boxes.numbers(0x20000, 1)), table))
        return Boxes.movie([good], extends) + (0..<fragments).flatMap { _ in fragment }
    }

    @Test("fragments that contain only counts are refused", arguments: [(11_000_000, 1), (100_000, 40), (1000, 2000)] as [(UInt64, Int)])
    func fragments(_ count: UInt64, _ fragments: Int) throws {
        #expect(try failure("fragments-\(count)", fragmented(count, fragments: fragments))?.code == .corruptMedia)
    }

    @Test("a table of a fragment is found even if a read ends inside it")
    func joints() {
        let bytes = fragmented(1 << 24, fragments: 1)
        for cut in 1..<bytes.count {
            var watch = FragmentWatch()
            bytes[..<cut].withUnsafeBytes { watch.look(at: $0, offset: 0) }
            bytes[cut...].withUnsafeBytes { watch.look(at: $0, offset: Int64(cut)) }
            #expect(watch.entryCount(tracks: [1]) == 1 << 24, "cut at \(cut)")
        }
    }

    @Test("the samples of a fragment count once, however often it is read")
    func repeated() {
        let bytes = fragmented(200_000, fragments: 1)
        var watch = FragmentWatch()
        for _ in 0..<10 { bytes.withUnsafeBytes { watch.look(at: $0, offset: 0) } }
        #expect(watch.total == 200_000)
        #expect(FragmentWatch.holds(watch.total, in: Int64(bytes.count)))
    }

    @Test("fragments that an index names are counted, times the tracks", arguments: [0, 1])
    func references(_ version: UInt64) throws {
        let bytes = index(version: version, references: 50_000)
        var watch = FragmentWatch()
        bytes.withUnsafeBytes { watch.look(at: $0, offset: 0) }
        #expect(watch.fragments == 50_000)
        #expect(watch.hasFew(tracks: 2))
        #expect(!watch.hasFew(tracks: 20))
    }

    @Test("fragments are counted even if no index names them")
    func unnamed() {
        let bytes = fragmented(1, fragments: 1000)
        var watch = FragmentWatch()
        bytes.withUnsafeBytes { watch.look(at: $0, offset: 0) }
        #expect(watch.fragments == 1000)
    }

    @Test("more fragments than any recording has are refused")
    func manyReferences() throws {
        let good = (UInt64(1)...200).map { Boxes.track($0, samples: 0, size: 4, duration: 1, perChunk: 1) }
        let extends = Boxes.box("mvex", Boxes.box("trex", Boxes.numbers(0, 1, 1, 1024, 4, 0)))
        let bytes = Boxes.movie(good, extends) + index(version: 0, references: 60_000)
        #expect(try failure("references", bytes)?.code == .corruptMedia)
    }

    /// An index ("sidx") of fragments of eight bytes each.
    private func index(version: UInt64, references: Int) -> [UInt8] {
        let places: [UInt8] = version == 0 ? Boxes.numbers(0, 0) : Boxes.numbers(0, 0, 0, 0)
        let list = (0..<references).flatMap { _ in Boxes.numbers(8, 1024, 0x9000_0000) }
        return Boxes.box("sidx", Boxes.numbers(version << 24, 1, 44_100) + places + Boxes.numbers(UInt64(references)) + list)
    }

    // MARK: Servers

    @Test("without positioning, the header is read before FFmpeg gets it")
    func sequential() throws {
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100), as: "sequential", "m4a", ["-c:a", "aac", "-movflags", "+faststart"])
        let bytes = try [UInt8](Data(contentsOf: url))
        let source = MediaSource(.remote(url: "http://example.invalid/a.m4a"))
        let reader = try FFmpegOpener().open(SequentialBytes(bytes), source, interrupt: Interrupt())
        var frames = 0
        while let block = try reader.read() { frames += block.frameCount }
        #expect(frames >= 44_100)
        let bad = Boxes.movie((1...20).map { Boxes.track($0, samples: 11_000_000, size: 1, duration: 1024, perChunk: 11_000_000) })
        let error = #expect(throws: PlaybackError.self) {
            try FFmpegOpener().open(SequentialBytes(bad + Boxes.box("mdat", [UInt8](repeating: 0, count: 65_536))), source, interrupt: Interrupt())
        }
        #expect(error?.code == .corruptMedia)
    }

    @Test("without positioning, a header after the audio gives notSeekable")
    func behind() throws {
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100), as: "behind", "m4a", ["-c:a", "aac"])
        let bytes = try [UInt8](Data(contentsOf: url))
        let source = MediaSource(.remote(url: "http://example.invalid/b.m4a"))
        let error = #expect(throws: PlaybackError.self) { try FFmpegOpener().open(SequentialBytes(bytes), source, interrupt: Interrupt()) }
        #expect(error?.code == .notSeekable)
    }
}

/// The bytes of a server without positioning.
final class SequentialBytes: ByteSource {
    private let bytes: [UInt8]
    private(set) var offset: Int64 = 0
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var length: Int64? { nil }
    var isRemote: Bool { true }
    var isSeekable: Bool { false }
    func seek(to offset: Int64) throws(PlaybackError) {
        guard offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
    }
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let count = min(buffer.count, 1000, bytes.count - Int(offset))
        buffer.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
        offset += Int64(count)
        return count
    }
}

/// The bytes of a server that states a length.
final class ClaimedBytes: ByteSource {
    private let bytes: [UInt8]
    private let stated: Int64
    private(set) var offset: Int64 = 0
    private let limit: Int64
    init(_ bytes: [UInt8], length: Int64, limit: Int64 = 65_536) {
        self.bytes = bytes
        self.limit = limit
        stated = length
    }

    var length: Int64? { stated }
    var isRemote: Bool { true }
    var isSeekable: Bool { true }
    func seek(to offset: Int64) throws(PlaybackError) { self.offset = offset }
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let count = max(0, min(buffer.count, Int(limit - min(offset, limit))))
        for place in 0..<count { buffer[place] = Int(offset) + place < bytes.count ? bytes[Int(offset) + place] : 0 }
        offset += Int64(count)
        return count
    }
}
