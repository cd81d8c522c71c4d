import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Seeks with tolerances")
struct TolerantSeekTests {
    static let encodings = (Encoding.lossless + Encoding.lossy).filter { $0.fidelity != .aligned }

    @Test("in a local medium, a seek with tolerances lands on its target, with the samples of the medium there (R-SEEK-01)", arguments: encodings)
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
            #expect(landed == target)
            let block = try #require(try reader.read())
            #expect(block.position == landed)
            #expect(Reading.difference(block, whole, first: Int(landed) * channels) <= 0x1p-15, "\(target) -\(before) +\(after): \(landed)")
        }
    }

    @Test("a seek with unlimited tolerances lands on its target", arguments: encodings)
    func unlimited(_ encoding: Encoding) throws {
        let reader = try Reading.open(encoding.file())
        let rate = Int64(encoding.signal.sampleRate)
        for target in [rate, rate * 3 / 2, 1000] {
            #expect(try reader.seek(to: target, before: .max, after: .max) == target)
            #expect(try reader.read() != nil)
        }
    }

    @Test("a tolerant seek is also exact at another output rate", arguments: [48_000, 22_050, 44_101])
    func converted(_ rate: Int) throws {
        let url = try #require(Encoding.lossy.first { $0.name == "vorbis" }).file()
        let whole = try Reading.samples(DeliveryTests.open(url, rate: rate), channels: 2)
        let reader = try DeliveryTests.open(url, rate: rate)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            let target = Int64.random(in: 0..<Int64(whole.count / 2 - 5000), using: &random)
            let landed = try reader.seek(to: target, before: 20_000, after: 1000)
            #expect(landed == target)
            let block = try #require(try reader.read())
            #expect(block.position == landed)
            #expect(Reading.difference(block, whole, first: Int(landed) * 2) <= 0x1p-14)
        }
    }
}
