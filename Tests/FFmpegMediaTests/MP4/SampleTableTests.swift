import CFFmpeg
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Sample tables that are read where they lie (R-SEEK-18)")
struct SampleTableTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        var arguments = ["-c:a", "aac", "-aac_pns", "0"]
        var fileExtension = "m4a"
        /// Changes the tables of the file.
        var change: (@Sendable (inout TrackTables) -> Void)?
        /// Changes the bytes of the file.
        var rewrite: (@Sendable ([UInt8]) throws -> [UInt8])?
        var testDescription: String { name }

        func bytes() throws -> [UInt8] {
            let url = try TestMedia.shared.encoded(
                TestSignal(frameCount: 44_100 * 8 + 345), as: "tables-\(arguments.joined(separator: " "))", fileExtension, arguments)
            let bytes = try rewrite?([UInt8](Data(contentsOf: url))) ?? [UInt8](Data(contentsOf: url))
            guard let change else { return bytes }
            var tables = try TrackTables(of: bytes)
            change(&tables)
            return try tables.written(into: bytes)
        }
        func file() throws -> URL {
            let bytes = try bytes()
            return try TestMedia.shared.file("in-place \(name).\(fileExtension)") { try Data(bytes).write(to: $0) }
        }
    }

    static let pattern = [3, 3, 5, 1, 1, 1, 22, 22, 21]
    static let kinds = [
        Kind(name: "AAC"), Kind(name: "ALAC", arguments: ["-c:a", "alac"]), Kind(name: "QuickTime", fileExtension: "mov"),
        Kind(name: "index first", arguments: ["-c:a", "aac", "-aac_pns", "0", "-movflags", "+faststart"]),
        Kind(name: "iTunes' tag", rewrite: { try Rewriting.itunesNote($0, priming: 1024, samples: 44_100 * 8 + 345) }),
        Kind(name: "without edits", rewrite: { try Rewriting.withoutEdits($0) }), Kind(name: "short chunks", change: { $0.divide(pattern) }),
        Kind(
            name: "64 bits",
            change: {
                $0.divide(pattern)
                $0.isWide = true
            }),
        Kind(
            name: "16 bits",
            change: {
                $0.divide(pattern)
                $0.sizeBits = 16
            }),
        Kind(name: "durations of 0", change: { $0.durations = [(20, 1024), (3, 0), (UInt64($0.sizes.count - 23), 1024)] }),
        Kind(
            name: "rounded",
            change: { tables in
                tables.divide(pattern)
                tables.durations = tables.sizes.indices.map { (1, $0 % 3 == 0 ? 1058 : 1014) }
            }),
    ]

    private static func demuxer(_ source: any ByteSource, threshold: Int64 = SampleTables.kept + 1) throws -> Demuxer {
        try Demuxer(source, interrupt: Interrupt(), tableThreshold: threshold)
    }
    private static func demuxer(_ url: URL, threshold: Int64 = SampleTables.kept + 1) throws -> Demuxer {
        try demuxer(FileSource(path: FilePath(url.path)), threshold: threshold)
    }

    /// The fields of a packet that the rest of the reader uses.
    private static func fields(_ packet: UnsafeMutablePointer<AVPacket>) -> [Int64] {
        let entry = SeekIndex.entry(for: packet, at: 0), skip = SkipSamples(packet)
        return [
            packet.pointee.pts, packet.pointee.dts, packet.pointee.duration, packet.pointee.pos, Int64(packet.pointee.size),
            Int64(packet.pointee.flags), Int64(packet.pointee.stream_index), Int64(entry.digest), Int64(skip?.start ?? -1), Int64(skip?.end ?? -1),
        ]
    }

    @Test("each packet has the fields that FFmpeg's demuxer gives it, from the start and after 100 seeks", arguments: kinds)
    func packets(_ kind: Kind) throws {
        let url = try kind.file(), own = try SampleTableTests.demuxer(url), other = try SampleTableTests.demuxer(url, threshold: .max)
        #expect(own.samples != nil && other.samples == nil)
        let packet = try StoredPacket(), reference = try StoredPacket()
        var count = 0
        while try other.read(into: reference.raw) {
            try #require(try own.read(into: packet.raw), "packet \(count)")
            try #require(SampleTableTests.fields(packet.raw) == SampleTableTests.fields(reference.raw), "packet \(count)")
            count += 1
        }
        #expect(count > 80)
        #expect(try !own.read(into: packet.raw))
        #expect(own.stream.pointee.duration == other.stream.pointee.duration)
        #expect(abs(own.parameters.pointee.bit_rate - other.parameters.pointee.bit_rate) < 2000)
        var random = SeededGenerator(seed: 11)
        for number in 0..<100 {
            let time = Int64.random(in: -2000...(44_100 * 9), using: &random)
            if number == 50 {
                try own.reopen()
                try other.reopen()
            } else {
                try own.seek(timestamp: time)
                try other.seek(timestamp: time)
            }
            for _ in 0..<3 {
                let isRead = try other.read(into: reference.raw)
                try #require(try own.read(into: packet.raw) == isRead, "seek to \(time)")
                if isRead { try #require(SampleTableTests.fields(packet.raw) == SampleTableTests.fields(reference.raw), "seek to \(time)") }
            }
        }
    }

    private static func open(_ source: any ByteSource, threshold: Int64 = SampleTables.kept + 1) throws -> FFmpegReader {
        var opener = FFmpegOpener()
        opener.tableThreshold = threshold
        return try opener.open(source, MediaSource(.file(path: "")), interrupt: Interrupt())
    }

    @Test("length, samples and seeks are those of FFmpeg's demuxer (R-SEEK-01)", arguments: kinds)
    func samples(_ kind: Kind) throws {
        let url = try kind.file(), path = FilePath(url.path)
        let own = try SampleTableTests.open(FileSource(path: path)), other = try SampleTableTests.open(FileSource(path: path), threshold: .max)
        #expect(own.duration == other.duration)
        let whole = try Reading.samples(other)
        let isEqual = try Reading.samples(own) == whole
        #expect(isEqual)
        var random = SeededGenerator(seed: 3)
        for number in 0..<24 {
            let target = Int.random(in: 0..<(whole.count / 2 - 100), using: &random)
            let reader = number % 3 == 0 ? try SampleTableTests.open(FileSource(path: path)) : own
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let block = try #require(try reader.read())
            #expect(block.position == target && Reading.difference(block, whole, first: target * 2) <= 0x1p-15, "seek to \(target)")
        }
    }

    // MARK: Cost

    /// The bytes of a book whose samples are those of a short file, repeated.
    private static func book(_ times: Int) throws -> [UInt8] {
        let plain = try Kind(name: "").bytes()
        var tables = try TrackTables(of: plain)
        tables.divide([43])
        tables.loop(times)
        tables.durations = [(UInt64(tables.sizes.count), 1024)]
        return try tables.written(into: plain)
    }

    @Test("an opening and a jump read at most 1 MiB of a book with 700,000 samples, and FFmpeg's index has 16 entries")
    func cost() throws {
        let source = CountingSource(try SampleTableTests.book(2000)), demuxer = try SampleTableTests.demuxer(source)
        #expect(demuxer.indexCount > 690_000 && avformat_index_get_entries_count(demuxer.stream) == Int32(SampleTables.kept))
        #expect(source.count < 1 << 20, "\(source.count) bytes")
        let opened = source.count, packet = try StoredPacket(), time = (demuxer.indexCount - 10) * 1024
        try demuxer.seek(timestamp: time)
        #expect(try demuxer.read(into: packet.raw) && packet.raw.pointee.pts == time)
        #expect(source.count - opened < 256 << 10)
    }

    @Test("a jump in a remote book whose index is at its end reads at most three parts of it")
    func remote() throws {
        let source = ScriptedRemote(try SampleTableTests.book(2000))
        source.blockSize = 1 << 20
        let demuxer = try SampleTableTests.demuxer(source), opened = source.jumps, packet = try StoredPacket()
        try demuxer.seek(timestamp: demuxer.indexCount * 512)
        #expect(try demuxer.read(into: packet.raw) && packet.raw.pointee.pts == demuxer.indexCount * 512)
        #expect(source.jumps - opened <= 3)
    }

    @Test("a jump in joined parts with rounded timestamps reads only some packets, and lands exactly (R-SEEK-01)", arguments: [true, false])
    func joined(_ isInPlace: Bool) throws {
        let bytes = try Kind(
            name: "",
            change: { tables in
                tables.divide([43])
                tables.durations = [(UInt64(tables.sizes.count - 1), 1024), (1, 984)]
                tables.loop(40)
            }
        ).bytes()
        let threshold = isInPlace ? SampleTables.kept + 1 : .max
        let whole = try Reading.samples(SampleTableTests.open(CountingSource(bytes), threshold: threshold))
        let source = CountingSource(bytes), reader = try SampleTableTests.open(source, threshold: threshold)
        let opened = source.count, target = whole.count / 2 * 9 / 10
        #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
        #expect(source.count - opened < 512 << 10, "\(source.count - opened) of \(bytes.count) bytes")
        let block = try #require(try reader.read())
        #expect(block.position == target && Reading.difference(block, whole, first: target * 2) <= 0x1p-15)
    }

    // MARK: Bad input

    static let unusualKinds: [Kind] = [
        Kind(name: "more sizes than chunks hold", change: { $0.runs = [(1, 2, 1)] }),
        Kind(
            name: "first chunks that go backwards",
            change: {
                $0.divide(pattern)
                $0.runs.swapAt(1, 2)
            }),
        Kind(name: "a first chunk after the first", change: { $0.runs[0].first = 2 }),
        Kind(name: "chunks without samples", change: { $0.runs[0].samples = 0 }),
        Kind(name: "too many samples in a chunk", change: { $0.runs[0].samples = 0xFFFF_FFFF }),
        Kind(name: "another description", change: { $0.runs[0].description = 2 }),
        Kind(name: "a run after the last chunk", change: { $0.runs.append((0xFFFF_FFFF, 1, 1)) }),
        Kind(name: "no runs", change: { $0.runs = [] }), Kind(name: "no chunks", change: { $0.offsets = [] }),
        Kind(name: "no durations", change: { $0.durations = [] }),
        Kind(name: "fewer durations than samples", change: { $0.durations = [(3, 1024)] }),
        Kind(name: "more durations than samples", change: { $0.durations = [(0xFFFF_FFFF, 1024)] }),
        Kind(name: "durations of no samples", change: { $0.durations.insert((0, 1024), at: 0) }),
        Kind(name: "durations above 31 bits", change: { $0.durations[0].duration = 0xFFFF_FFF0 }),
        Kind(name: "times of presentation", change: { $0.more = Boxes.box("ctts", Boxes.numbers(0, 1, 100, 0)) }),
        Kind(name: "synchronous samples", change: { $0.more = Boxes.box("stss", Boxes.numbers(0, 1, 1)) }),
        Kind(name: "encryption", change: { $0.more = Boxes.box("saiz", Boxes.numbers(0, 0, 0)) }),
    ]

    @Test("unusual tables are left to FFmpeg's demuxer, or refused", arguments: unusualKinds)
    func unusual(_ kind: Kind) throws {
        let bytes = try kind.bytes()
        do {
            let demuxer = try SampleTableTests.demuxer(CountingSource(bytes))
            #expect(demuxer.samples == nil)
        } catch let error as PlaybackError {
            #expect(error.code == .corruptMedia)
        }
    }

    @Test("a count that the box does not hold is refused", arguments: ["stts", "stsc", "stsz", "stco"])
    func counts(_ name: String) throws {
        let bytes = try Kind(name: "", change: { $0.statedCounts[name] = 0xFFFF_FFF0 }).bytes()
        #expect(throws: PlaybackError.self) { try SampleTableTests.demuxer(CountingSource(bytes)) }
    }

    @Test("samples at impossible places end the audio or are skipped, without a crash", arguments: [UInt64(1) << 62, .max, 1 << 40])
    func places(_ place: UInt64) throws {
        let bytes = try Kind(
            name: "",
            change: { tables in
                tables.divide([10])
                tables.isWide = true
                tables.offsets[4] = place
            }
        ).bytes()
        let demuxer = try SampleTableTests.demuxer(CountingSource(bytes)), packet = try StoredPacket()
        #expect(demuxer.samples != nil)
        var count = 0
        while try demuxer.read(into: packet.raw) { count += 1 }
        #expect(count >= 40)
        // Samples after the impossible ones can be reached.
        try demuxer.seek(timestamp: 60 * 1024)
        #expect(try demuxer.read(into: packet.raw) && packet.raw.pointee.pts == 60 * 1024)
    }

    @Test("a size above 16 MiB is not read")
    func sizes() throws {
        let bytes = try Kind(
            name: "",
            change: { tables in
                tables.divide([10])
                tables.sizes[45] = 0xFFFF_FFFF
            }
        ).bytes()
        let demuxer = try SampleTableTests.demuxer(CountingSource(bytes)), packet = try StoredPacket()
        var times: [Int64] = []
        while try demuxer.read(into: packet.raw) { times.append(packet.raw.pointee.pts / 1024) }
        // The samples after it in its chunk lie beyond the end of the file.
        #expect(times == Array(0..<45))
        try demuxer.seek(timestamp: 50 * 1024)
        #expect(try demuxer.read(into: packet.raw) && packet.raw.pointee.pts == 50 * 1024)
    }

    @Test("a file whose tables disappear while it plays gives an error, and plays again after they have come back")
    func shrinking() throws {
        let url = try TestMedia.shared.file("in-place shrinking.m4a") { try Data(SampleTableTests.book(100)).write(to: $0) }
        let bytes = try Data(contentsOf: url), demuxer = try SampleTableTests.demuxer(url), packet = try StoredPacket()
        let file = try FileHandle(forUpdating: url)
        try file.truncate(atOffset: UInt64(bytes.count / 4))
        try demuxer.seek(timestamp: 20_000 * 1024)
        #expect(throws: PlaybackError.self) { try demuxer.read(into: packet.raw) }
        try file.seek(toOffset: 0)
        try file.write(contentsOf: bytes)
        #expect(try demuxer.read(into: packet.raw) && packet.raw.pointee.pts == 20_000 * 1024)
    }

    @Test("a file that is encrypted, or that has two audio tracks, is left to FFmpeg's demuxer")
    func descriptions() throws {
        let plain = try Kind(name: "").bytes()
        for name in ["enca", "drms"] {
            var bytes = plain
            let at = try #require(bytes.indices.last { bytes[$0...].starts(with: "mp4a".utf8) })
            bytes.replaceSubrange(at..<(at + 4), with: Array(name.utf8))
            #expect((try? SampleTableTests.demuxer(CountingSource(bytes)))?.samples == nil, "\(name)")
        }
        let url = try TestMedia.shared.file("in-place two.m4a") { url in
            let input = try TestMedia.shared.wave(TestSignal(frameCount: 44_100)).path
            try TestMedia.ffmpeg(["-i", input, "-map", "0:a", "-map", "0:a", "-c:a", "aac", url.path])
        }
        #expect(try SampleTableTests.demuxer(url).samples == nil)
    }

    @Test("a medium that does not support seeking is left to FFmpeg's demuxer")
    func sequential() throws {
        let bytes = try Kind(name: "", arguments: ["-c:a", "aac", "-aac_pns", "0", "-movflags", "+faststart"]).bytes()
        #expect(try SampleTableTests.demuxer(CountingSource(bytes, isSeekable: false)).samples == nil)
    }
}
