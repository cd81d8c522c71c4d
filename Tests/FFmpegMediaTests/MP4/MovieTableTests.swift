import CFFmpeg
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Tables of an MP4 header")
struct MovieTableTests {
    /// Opens a file of these bytes, followed by `zeros` bytes of media that are zero. Returns the error; nil if the file is opened.
    static func failure(_ name: String, _ bytes: [UInt8], zeros: Int = 65_536) throws -> PlaybackError? {
        try BadInputTests.failure(BadInputTests.file("tables-\(name).mp4", bytes + Boxes.box("mdat", [UInt8](repeating: 0, count: zeros))).path)
    }

    @Test("tables of samples of one size are refused if the file cannot hold the samples, in twenty tracks or one")
    func constant() throws {
        for (name, count) in [("many", UInt64(20)), ("one", 1)] {
            let tracks = (1...count).map { Boxes.track($0, samples: 11_000_000, size: 1, duration: 1024, perChunk: 11_000_000) }
            #expect(try MovieTableTests.failure("constant-\(name)", Boxes.movie(tracks))?.code == .corruptMedia)
        }
    }

    @Test("chunks whose samples the file cannot hold are refused, because FFmpeg makes an entry for each thousand")
    func chunks() throws {
        let track = Boxes.track(1, samples: 10, size: 4, duration: 1, perChunk: 0xFFFF_FF00)
        #expect(try MovieTableTests.failure("chunks", Boxes.movie([track]))?.code == .corruptMedia)
    }

    @Test("tables are counted wherever FFmpeg reads them", arguments: ["udta", "meta", "ilst", "wave", "tref"])
    func elsewhere(_ place: String) throws {
        let table = Boxes.box("stsz", Boxes.numbers(0, 1, 11_000_000))
        let start = place == "meta" ? Boxes.numbers(0) + Boxes.box("hdlr", [UInt8](repeating: 0, count: 24)) : []
        let good = Boxes.track(1, samples: 100, size: 4, duration: 1, perChunk: 100)
        let inner = Boxes.box(place, start, table)
        #expect(try MovieTableTests.failure("elsewhere-\(place)", Boxes.movie([good], Boxes.box("udta", inner)))?.code == .corruptMedia)
    }

    @Test(
        "a box whose head of 16 bytes ends behind the box that contains it is empty",
        arguments: ["stsd", "stsz", "stz2", "stts", "stsc", "stco", "elst", "dref", "keys", "hdlr"])
    func cutHead(_ name: String) throws {
        let handler = Boxes.box("hdlr", Boxes.numbers(0, 0) + Array("soun".utf8) + Boxes.numbers(0, 0, 0) + [0])
        let cut = Boxes.box("stbl", Boxes.numbers(1) + Array(name.utf8))
        let track = Boxes.box("trak", Boxes.box("mdia", handler, Boxes.box("minf", cut)))
        // The size of 64 bits follows the movie.
        #expect(try MovieTableTests.failure("cut-\(name)", Boxes.movie([track]) + Boxes.numbers(0, 1 << 20)) != nil)
    }

    @Test("compressed tables and duplicate tables are refused")
    func unusual() throws {
        let good = Boxes.track(1, samples: 100, size: 4, duration: 1, perChunk: 100)
        #expect(try MovieTableTests.failure("compressed", Boxes.movie([], Boxes.box("cmov", Boxes.numbers(0))))?.code == .corruptMedia)
        #expect(try MovieTableTests.failure("twice", Boxes.movie([good], Boxes.box("stsz", Boxes.numbers(0, 4, 100))))?.code == .corruptMedia)
        let keys = Boxes.box(
            "udta",
            Boxes.box("meta", Boxes.numbers(0), Boxes.box("hdlr", [UInt8](repeating: 0, count: 24)), Boxes.box("keys", Boxes.numbers(0, 1 << 24))))
        #expect(try MovieTableTests.failure("keys", Boxes.movie([good], keys))?.code == .corruptMedia)
    }

    @Test("a \"meta\" box whose handler is not within the first 1 MiB of all such boxes is refused")
    func far() throws {
        let good = Boxes.track(1, samples: 100, size: 4, duration: 1, perChunk: 100)
        for (name, size, count, isRefused) in [("one", 2 << 20, 1, true), ("several", 400_000, 3, true), ("few", 400_000, 2, false)] {
            let boxes = (0..<count).flatMap { _ in Boxes.box("meta", [UInt8](repeating: 0, count: size)) }
            let failure = try MovieTableTests.failure("far-\(name)", Boxes.movie([good], Boxes.box("udta", boxes)))
            #expect((failure?.code == .corruptMedia) == isRefused, "\(name)")
        }
    }

    @Test("tables of a valid file are accepted")
    func plain() throws {
        let good = Boxes.track(1, samples: 16_000, size: 4, duration: 1, perChunk: 16_000)
        #expect(try MovieTableTests.failure("plain", Boxes.movie([good])) == nil)
    }

    @Test("tables of a book of 72 hours at 48 kHz are accepted")
    func book() throws {
        let samples: UInt64 = 72 * 3600 * 48_000 / 1024
        let header = Boxes.movie([Boxes.track(1, samples: samples, size: 170, duration: 1024, perChunk: samples)])
        let url = try TestMedia.shared.file("tables-book.mp4") { url in
            try Data(header).write(to: url)
            // The file is sparse: its zeros occupy no disk space.
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
        // Zeros of a sparse file do not count as known bytes. So a file of the same length with few known bytes is refused.
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
            // The sample description is made longer than its box. FFmpeg would then read the tables after it twice.
            let at = try #require(track.indices.first { track[$0...].starts(with: "sowt".utf8) }) - 4
            track.replaceSubrange(at..<(at + 4), with: Boxes.numbers(120))
        }
        #expect(try MovieTableTests.failure("described-\(place)", Boxes.movie([track]))?.code == .corruptMedia)
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

    /// Writes a file with these bytes, and reads its MP4 header.
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
        // A second track with few edits does not change the result for the first track.
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
        #expect(header.tables.entryCount == 1 << 24 && header.tables.unconfirmedCount == 1 << 24)
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
        // The table of sample sizes is moved after its track. FFmpeg reads it there too, so it counts.
        #expect(header.tables.entryCount == 70_000 && header.tables.unconfirmedCount == 0)
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
