import Testing

@testable import FFmpegMedia

@Suite("The search for the bytes of a position")
struct ByteSearchTests {
    /// A medium of packets of 1000 samples, each with its size in bytes. A packet of which a part reads the first byte is found in it.
    private struct Medium {
        let points: [ByteSearch.Point]
        let end: ByteSearch.Point
        private(set) var parts: [Range<Int64>] = []

        init(sizes: [Int64], start: Int64 = 5000) {
            var points: [ByteSearch.Point] = [], byte = start
            for (number, size) in sizes.enumerated() {
                points.append(ByteSearch.Point(position: Int64(number) * 1000, byte: byte))
                byte += size
            }
            self.points = points
            end = ByteSearch.Point(position: Int64(sizes.count) * 1000, byte: byte)
        }

        mutating func offset(of target: Int64, _ search: inout ByteSearch, canRead: Bool = true) -> Int64? {
            var parts: [Range<Int64>] = []
            defer { self.parts = parts }
            return search.offset(
                of: target,
                read: { range in
                    parts.append(range)
                    return canRead ? [UInt8](repeating: 0, count: range.count) : []
                },
                find: { bytes, start, _ in points.filter { $0.byte >= start && $0.byte + 16 <= start + Int64(bytes.count) } })
        }

        func search(_ hints: [ByteSearch.Point] = []) -> ByteSearch { ByteSearch(first: points[0], end: end, hints: hints) }

        /// The number of parts that begin elsewhere than within 128 KiB after the end of the part before: requests to a server.
        var jumps: Int {
            1 + zip(parts, parts.dropFirst()).count { $1.lowerBound < $0.lowerBound || $1.lowerBound > $0.upperBound + 131_072 }
        }
    }
    /// Packets of about 4 KB whose size changes slowly and by chance, as in music.
    private static let music: [Int64] = {
        var state: UInt64 = 7
        return (0..<10_000).map { number in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let swing = [3000, 5000, 3500, 4500, 2500, 5500][number / 1700]
            return Int64(swing) + Int64(state >> 33) % 1000
        }
    }()

    @Test("every target in audio whose bit rate varies is found, with at most three jumps")
    func music() {
        var medium = Medium(sizes: Self.music), worst = 0
        for target in stride(from: Int64(1), to: 10_000_000, by: 97_003) {
            var search = medium.search()
            let expected = medium.points.last { $0.position <= target }?.byte
            #expect(medium.offset(of: target, &search) == expected)
            worst = max(worst, medium.jumps)
        }
        #expect(worst <= 3)
    }

    @Test("a constant bit rate needs one jump, also to the last packet")
    func constant() {
        var medium = Medium(sizes: [Int64](repeating: 4000, count: 5000))
        for target: Int64 in [1, 999, 1000, 77_777, 2_500_000, 4_998_999, 4_999_999] {
            var search = medium.search()
            #expect(medium.offset(of: target, &search) == medium.points.last { $0.position <= target }?.byte)
            #expect(medium.jumps == 1)
        }
    }

    @Test("found points remain known, so the same target needs one part the second time")
    func memory() {
        var medium = Medium(sizes: Self.music), search = medium.search()
        _ = medium.offset(of: 7_234_567, &search)
        _ = medium.offset(of: 7_234_567, &search)
        #expect(medium.parts.count == 1)
    }

    @Test("points that the medium states lead closer to the target")
    func hints() {
        var medium = Medium(sizes: Self.music)
        var search = medium.search(medium.points.enumerated().filter { $0.offset % 100 == 0 }.map(\.element))
        #expect(medium.offset(of: 7_234_567, &search) == medium.points[7234].byte)
        #expect(medium.jumps == 1)
    }

    @Test("points that the medium states and its packets contradict are removed")
    func wrongHints() {
        var medium = Medium(sizes: Self.music)
        let wrong = (1..<100).map { ByteSearch.Point(position: Int64($0) * 1000, byte: medium.points[$0 * 90].byte) }
        var search = medium.search(wrong)
        // The first search may end without a result.
        _ = medium.offset(of: 7_234_567, &search)
        #expect(medium.offset(of: 7_234_567, &search) == medium.points[7234].byte)
        #expect(search.points.count < 20)
    }

    @Test("a search ends after a number of parts whatever the bytes are, and if they cannot be read")
    func limits() {
        var medium = Medium(sizes: Self.music), search = medium.search()
        #expect(medium.offset(of: 7_234_567, &search, canRead: false) == nil)
        #expect(medium.parts.count == 1)
        var parts = 0
        // Each part claims that the target is just after it.
        let found = search.offset(of: 7_234_567, read: { [UInt8](repeating: 0, count: $0.count) }) { _, start, _ in
            parts += 1
            return [ByteSearch.Point(position: 7_000_000 + Int64(parts), byte: start)]
        }
        #expect(found == nil)
        #expect(parts <= ByteSearch.probeLimit)
        #expect(medium.offset(of: 10_000_000, &search) == nil)
        #expect(medium.offset(of: 0, &search) == nil)
    }

    @Test("the number of known points has a limit")
    func capacity() {
        var search = ByteSearch(first: .init(position: 0, byte: 0), end: .init(position: 1 << 40, byte: 1 << 40))
        for number: Int64 in 1...10_000 { search.note(.init(position: number * 10, byte: number * 20)) }
        #expect(search.points.count <= ByteSearch.capacity && search.points.count > ByteSearch.capacity / 4)
        #expect(search.points.first == .init(position: 0, byte: 0))
    }

    @Test("a new point removes those that contradict it")
    func contradiction() {
        var search = ByteSearch(first: .init(position: 0, byte: 0), end: .init(position: 1000, byte: 1000))
        for point in [(100, 100), (200, 500), (300, 600)] { search.note(.init(position: Int64(point.0), byte: Int64(point.1))) }
        search.note(.init(position: 250, byte: 300))
        #expect(search.points.map(\.position) == [0, 100, 250, 300])
    }
}
