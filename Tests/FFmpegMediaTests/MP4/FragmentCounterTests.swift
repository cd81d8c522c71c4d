import PlaybackEngine
import Testing

@testable import FFmpegMedia

@Suite("Fragments of MP4 files")
struct FragmentCounterTests {
    @Test("entries of fragments are counted whatever size their table states", arguments: ["long", "zero", "wide"])
    func sizes(_ size: String) throws {
        let content = Boxes.numbers(0, 16_000_000)
        let table: [UInt8] =
            switch size {
            case "long": Boxes.numbers(0x7FFF_FFFF) + Array("trun".utf8) + content
            case "zero": Boxes.numbers(0) + Array("trun".utf8) + content
            default: Boxes.numbers(1) + Array("trun".utf8) + Boxes.numbers(0, 24) + content
            }
        #expect(try MovieTableTests.failure("fragment-\(size)", fragmented(table))?.code == .corruptMedia)
    }

    @Test("entries of fragments are counted if each has few, and if their content exceeds the box")
    func small() throws {
        for (count, flags, fragments) in [(UInt64(64), UInt64(0), 8000), (1 << 20, 0x100, 2)] {
            let table = Boxes.box("trun", Boxes.numbers(flags, count))
            let bytes = (0..<fragments).flatMap { _ in table }
            var counter = FragmentCounter()
            (Boxes.box("tfhd", Boxes.numbers(0x20000, 1)) + bytes).withUnsafeBytes { counter.examine($0, offset: 0) }
            #expect(counter.entryCount(tracks: [1]) == Int64(count) * Int64(fragments))
            #expect(!FragmentCounter.holds(counter.total, in: Int64(bytes.count)))
        }
    }

    @Test("entries count only if a fragment names a track of the file")
    func noise() {
        let bytes = fragmented(1 << 20, fragments: 1)
        var counter = FragmentCounter()
        bytes.withUnsafeBytes { counter.examine($0, offset: 0) }
        #expect(counter.entryCount(tracks: [2, 3]) == 0)
        #expect(counter.entryCount(tracks: [1]) == 1 << 20)
        #expect(counter.entryCount(tracks: nil) == 1 << 20)
    }

    @Test("fragments that are read in parts and in any order are counted once")
    func order() {
        let bytes = fragmented(1000, fragments: 50)
        var counter = FragmentCounter()
        // The fragments are examined in another order, and several times. Each has 64 bytes.
        for start in [5, 50, 20, 50, 30].map({ bytes.count - 64 * $0 }) + [0] {
            bytes[start...].withUnsafeBytes { counter.examine($0, offset: Int64(start)) }
        }
        #expect(counter.total == 50_000)
    }

    /// Returns a file with fragments. The table of each fragment states `count` samples, but contains no entries.
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
        #expect(try MovieTableTests.failure("fragments-\(count)", fragmented(count, fragments: fragments))?.code == .corruptMedia)
    }

    @Test("a table of a fragment is found even if a read ends inside it")
    func joints() {
        let bytes = fragmented(1 << 24, fragments: 1)
        for cut in 1..<bytes.count {
            var counter = FragmentCounter()
            bytes[..<cut].withUnsafeBytes { counter.examine($0, offset: 0) }
            bytes[cut...].withUnsafeBytes { counter.examine($0, offset: Int64(cut)) }
            #expect(counter.entryCount(tracks: [1]) == 1 << 24, "cut at \(cut)")
        }
    }

    @Test("the samples of a fragment count once, however often it is read")
    func repeated() {
        let bytes = fragmented(200_000, fragments: 1)
        var counter = FragmentCounter()
        for _ in 0..<10 { bytes.withUnsafeBytes { counter.examine($0, offset: 0) } }
        #expect(counter.total == 200_000)
        #expect(FragmentCounter.holds(counter.total, in: Int64(bytes.count)))
    }

    @Test("fragments that an index names are counted, times the tracks", arguments: [0, 1])
    func references(_ version: UInt64) throws {
        let bytes = index(version: version, references: 50_000)
        var counter = FragmentCounter()
        bytes.withUnsafeBytes { counter.examine($0, offset: 0) }
        #expect(counter.fragments == 50_000)
        #expect(counter.isWithinLimit(tracks: 2))
        #expect(!counter.isWithinLimit(tracks: 20))
    }

    @Test("fragments are counted even if no index names them")
    func unnamed() {
        let bytes = fragmented(1, fragments: 1000)
        var counter = FragmentCounter()
        bytes.withUnsafeBytes { counter.examine($0, offset: 0) }
        #expect(counter.fragments == 1000)
    }

    @Test("more fragments than any recording has are refused")
    func manyReferences() throws {
        let good = (UInt64(1)...200).map { Boxes.track($0, samples: 0, size: 4, duration: 1, perChunk: 1) }
        let extends = Boxes.box("mvex", Boxes.box("trex", Boxes.numbers(0, 1, 1, 1024, 4, 0)))
        let bytes = Boxes.movie(good, extends) + index(version: 0, references: 60_000)
        #expect(try MovieTableTests.failure("references", bytes)?.code == .corruptMedia)
    }

    /// Returns an index of fragments (a box "sidx") with `references` entries, each for a fragment of eight bytes.
    private func index(version: UInt64, references: Int) -> [UInt8] {
        let places: [UInt8] = version == 0 ? Boxes.numbers(0, 0) : Boxes.numbers(0, 0, 0, 0)
        let list = (0..<references).flatMap { _ in Boxes.numbers(8, 1024, 0x9000_0000) }
        return Boxes.box("sidx", Boxes.numbers(version << 24, 1, 44_100) + places + Boxes.numbers(UInt64(references)) + list)
    }
}
