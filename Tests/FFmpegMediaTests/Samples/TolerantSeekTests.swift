import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Seeks with tolerances")
struct TolerantSeekTests {
    static let encodings = (Encoding.lossless + Encoding.lossy).filter { $0.fidelity != .aligned }

    @Test("the landing is within the tolerances, and the samples are those of the medium at the landing (R-SEEK-01)", arguments: encodings)
    func landing(_ encoding: Encoding) throws {
        let url = try encoding.file()
        let reader = try Reading.open(url), channels = encoding.signal.channelCount
        let whole = try Reading.samples(reader), total = Int64(whole.count / channels)
        var random = SeededGenerator(seed: 31)
        for number in 0..<40 {
            let target = Int64.random(in: 0..<total - 5000, using: &random)
            let before = number % 3 == 0 ? 0 : Int64.random(in: 0...30_000, using: &random)
            let after = number % 3 == 1 ? 0 : Int64.random(in: 0...4000, using: &random)
            let landed = try reader.seek(to: target, before: before, after: after)
            #expect(landed >= target - before && landed <= target + after)
            let block = try #require(try reader.read())
            #expect(block.position == landed)
            #expect(Reading.difference(block, whole, first: Int(landed) * channels) <= 0x1p-15, "\(target) -\(before) +\(after): \(landed)")
        }
    }

    @Test("without tolerance limits a seek still lands within a second", arguments: encodings)
    func unlimited(_ encoding: Encoding) throws {
        let reader = try Reading.open(encoding.file())
        let rate = Int64(encoding.signal.sampleRate)
        for target in [rate, rate * 3 / 2, 1000] {
            #expect(abs(try reader.seek(to: target, before: .max, after: .max) - target) <= rate)
            #expect(try reader.read() != nil)
        }
    }

    @Test("in FLAC a tolerant seek begins with a whole packet, so that no frame is decoded and discarded")
    func cheapest() throws {
        let encoding = try #require(Encoding.lossless.first { $0.name == "flac" })
        let reader = try Reading.open(encoding.file())
        let first = try #require(try reader.read())
        let packet = Int64(4608)
        #expect(first.position == 0)
        let landed = try reader.seek(to: packet * 4 + 1000, before: packet, after: 0)
        #expect(landed % packet == 0 && landed <= packet * 4)
    }

    @Test("a tolerant seek is also exact at another output rate", arguments: [48_000, 22_050, 44_101])
    func converted(_ rate: Int) throws {
        let url = try #require(Encoding.lossy.first { $0.name == "vorbis" }).file()
        let whole = try Reading.samples(DeliveryTests.open(url, rate: rate), channels: 2)
        let reader = try DeliveryTests.open(url, rate: rate)
        var random = SeededGenerator(seed: 3), distances: Set<Int64> = []
        for _ in 0..<20 {
            let target = Int64.random(in: 0..<Int64(whole.count / 2 - 5000), using: &random)
            let landed = try reader.seek(to: target, before: 20_000, after: 1000)
            #expect(landed >= target - 20_000 && landed <= target + 1000)
            distances.insert(landed - target)
            let block = try #require(try reader.read())
            #expect(block.position == landed)
            #expect(Reading.difference(block, whole, first: Int(landed) * 2) <= 0x1p-14)
        }
        if rate == 48_000 { #expect(distances.count > 1, "cheaper positions are used") }
    }
}
