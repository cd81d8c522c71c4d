import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Estimated positions that become exact (R-SEEK-24)")
struct TieTests {
    /// A medium with a tag whose checksum is right. FFmpeg writes a wrong one into mono files.
    static let tagged = LongMedium(name: "vbr-xing-stereo", fileExtension: "mp3", arguments: ["-ac", "2", "-c:a", "libmp3lame", "-q:a", "0"])

    /// Returns a reader of the medium, whose source keeps bytes, at an estimated position.
    private func estimated(_ medium: LongMedium, at second: Int, keepsBytes: Bool = true) throws -> (source: ScriptedRemote, reader: FFmpegReader) {
        let (source, reader) = try medium.remote()
        source.keepsBytes = keepsBytes
        for _ in 0..<6 { _ = try reader.read() }
        _ = try reader.seek(to: Int64(second * medium.rate), before: 0, after: 0, allowsEstimate: true)
        #expect(reader.isPositionEstimated)
        return (source, reader)
    }

    /// Reads until the positions are exact, at most `blocks` blocks. Returns the blocks and the correction.
    private func readUntilExact(_ reader: FFmpegReader, blocks count: Int) throws -> (blocks: [AudioBlock], correction: Int64) {
        var blocks: [AudioBlock] = []
        while blocks.count < count, reader.isPositionEstimated, let block = try reader.read() { blocks.append(block) }
        return (blocks, reader.takeCorrection())
    }

    /// Checks that blocks are consecutive audio of the medium: the last one at its exact position, and the preceding ones before it.
    private func expectUnbroken(_ blocks: [AudioBlock], of medium: LongMedium) throws {
        let whole = try medium.samples(), last = try #require(blocks.last)
        var end = last.end
        for block in blocks.reversed() {
            let first = Int(end - Int64(block.frameCount)) * block.channelCount
            guard first >= 0, first + block.samples.count <= whole.count else { break }
            #expect(Reading.difference(block, whole, first: first) <= 0x1p-15, "the block before \(end)")
            end -= Int64(block.frameCount)
        }
    }

    @Test(
        "after the bytes between known frames and the landing have become present, they are counted without a request", arguments: LongMedium.variable
    )
    func gap(_ medium: LongMedium) throws {
        let (source, reader) = try estimated(medium, at: 20)
        let before = try readUntilExact(reader, blocks: 3)
        #expect(reader.isPositionEstimated && before.correction == 0)
        source.keep(0..<source.bytes.count * 9 / 10)
        let jumps = source.jumps
        let (blocks, correction) = try readUntilExact(reader, blocks: 40)
        #expect(!reader.isPositionEstimated)
        #expect(source.jumps == jumps)
        #expect(blocks.last.map { $0.position } == blocks.dropLast().last.map { $0.end + correction } || blocks.count == 1)
        try expectUnbroken(before.blocks + blocks, of: medium)
    }

    @Test("bytes between known frames and the landing that are not present are not requested", arguments: LongMedium.variable)
    func absentGap(_ medium: LongMedium) throws {
        let (source, reader) = try estimated(medium, at: 20)
        let count = source.readOffsets.count
        let blocks = try readUntilExact(reader, blocks: 30).blocks
        #expect(blocks.count == 30 && reader.isPositionEstimated)
        #expect(source.readOffsets.dropFirst(count).allSatisfy { $0 >= source.readOffsets[count - 1] })
    }

    @Test("positions are counted back from the end that a tag states, if the bytes up to it are present")
    func end() throws {
        let medium = Self.tagged, (source, reader) = try estimated(medium, at: 20)
        source.keep(source.bytes.count / 2..<source.bytes.count)
        let (blocks, _) = try readUntilExact(reader, blocks: 60)
        #expect(!reader.isPositionEstimated && blocks.count < 60)
        try expectUnbroken(blocks, of: medium)
        #expect(try Reading.samples(reader).count > 0)
    }

    @Test("positions are exact after the end was read, and later seeks among them are exact")
    func endOfReading() throws {
        let medium = Self.tagged, whole = try medium.samples(), (_, reader) = try estimated(medium, at: 30)
        let (blocks, _) = try readUntilExact(reader, blocks: .max)
        #expect(!reader.isPositionEstimated)
        try expectUnbroken(blocks, of: medium)
        _ = try Reading.samples(reader)
        let target = 34 * medium.rate
        #expect(try reader.seek(to: Int64(target), before: 0, after: 0, allowsEstimate: true) == Int64(target))
        #expect(!reader.isPositionEstimated)
        #expect(Reading.difference(try #require(try reader.read()), whole, first: target * 2) <= 0x1p-15)
    }

    @Test("a tag whose checksum is wrong states no end, and the positions stay estimated")
    func wrongTag() throws {
        let changed = LongMedium(
            name: "count-less", fileExtension: "mp3", arguments: Self.tagged.arguments,
            rewrite: { bytes in
                var bytes = bytes
                let tag = (0..<1000).first { bytes[$0...].starts(with: "Xing".utf8) } ?? 0
                bytes[tag + 11] ^= 3
                return bytes
            })
        let plain = try Self.tagged.bytes(), bytes = changed.rewrite?(plain) ?? plain
        #expect(bytes != plain)
        let (source, reader) = try Self.tagged.remote(bytes)
        source.keepsBytes = true
        _ = try reader.seek(to: Int64(25 * Self.tagged.rate), before: 0, after: 0, allowsEstimate: true)
        #expect(try !Reading.samples(reader).isEmpty)
        #expect(reader.isPositionEstimated && reader.takeCorrection() == 0)
    }

    @Test("reading that arrives at a frame of known position makes the positions before it exact")
    func arrival() throws {
        let medium = Self.tagged, (source, reader) = try estimated(medium, at: 30)
        while try reader.read() != nil {}
        #expect(!reader.isPositionEstimated)
        _ = reader.takeCorrection()
        (source.keepsBytes, source.blockSize) = (false, 4096)
        source.dropKept()
        _ = try reader.seek(to: Int64(26 * medium.rate), before: 0, after: 0, allowsEstimate: true)
        #expect(reader.isPositionEstimated)
        let (blocks, _) = try readUntilExact(reader, blocks: 60)
        #expect(!reader.isPositionEstimated)
        try expectUnbroken(blocks, of: medium)
    }

    @Test("the length is exact at the end after a tie to the start, without a tag (R-ASSET-10)", arguments: LongMedium.variable.dropFirst())
    func length(_ medium: LongMedium) throws {
        let whole = try medium.samples(), (source, reader) = try estimated(medium, at: 25)
        source.keep(0..<source.bytes.count)
        _ = try readUntilExact(reader, blocks: 60)
        #expect(!reader.isPositionEstimated)
        _ = try Reading.samples(reader)
        #expect(reader.duration == .exact(frames: Int64(whole.count), sampleRate: medium.rate))
    }

    @Test("the correction is that of the output frames after a conversion of the sample rate")
    func converted() throws {
        let medium = LongMedium.variable[1], (source, reader) = try medium.remote()
        source.keepsBytes = true
        try reader.setOutputFormat(AudioFormat(sampleRate: 48_000, channelLayout: reader.info.format.channelLayout))
        _ = try reader.seek(to: 20 * 48_000, before: 0, after: 0, allowsEstimate: true)
        #expect(reader.isPositionEstimated)
        source.keep(0..<source.bytes.count)
        let (blocks, correction) = try readUntilExact(reader, blocks: 60), last = try #require(blocks.last)
        #expect(!reader.isPositionEstimated && correction != 0)
        #expect(last.end - blocks.reduce(0) { $0 + Int64($1.frameCount) } == 20 * 48_000 + correction)
        let next = try #require(try reader.read()), heard = withExtendedLifetime(next) { Array(next.samples) }
        #expect(try reader.seek(to: next.position, before: 0, after: 0) == next.position)
        let again = try #require(try reader.read()), exact = withExtendedLifetime(again) { Array(again.samples) }
        let count = min(heard.count, exact.count, 4000)
        // The output frames of the run before the tie lie between those of an exact seek.
        let (lag, likeness) = SampleComparison.alignment(Array(heard.prefix(count)), Array(exact.prefix(count)), reach: 8)
        #expect(abs(lag) <= 1 && likeness > 0.5)
    }

    @Test("in random sequences of seeks, reads, samplings, arrivals and losses of bytes, a position that is not called estimated is exact")
    func random() throws {
        let media = [Self.tagged, LongMedium.variable[1], LongMedium.variable[2], LongMedium.variable[0]]
        var random = SeededGenerator(seed: 24), ties = 0, exact = 0
        for medium in media {
            let whole = try medium.samples(), bytes = try medium.bytes(), channels = medium.name == Self.tagged.name ? 2 : 1
            let frames = whole.count / channels
            for _ in 0..<250 {
                let (source, reader) = try medium.remote(bytes)
                source.keepsBytes = true
                source.deliversExcerpts = Bool.random(using: &random)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0: source.dropKept()
                    case 1, 2:
                        let start = Int.random(in: 0..<bytes.count, using: &random)
                        source.keep(start..<Int.random(in: start..<bytes.count, using: &random))
                    case 3: source.keep(0..<Int.random(in: 0..<bytes.count, using: &random))
                    default:
                        let target = Int64.random(in: 0..<Int64(frames - 20_000), using: &random)
                        _ = try reader.seek(to: target, before: 0, after: 0, allowsEstimate: Int.random(in: 0..<8, using: &random) > 0)
                    }
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        guard let block = try reader.read() else { break }
                        if reader.takeCorrection() != 0, !reader.isPositionEstimated { ties += 1 }
                        let first = Int(block.position) * channels
                        guard !reader.isPositionEstimated, first + block.samples.count <= whole.count else { continue }
                        exact += 1
                        let difference = Reading.difference(block, whole, first: first)
                        try #require(difference <= 0x1p-15, "\(medium.name), at \(block.position)")
                    }
                }
            }
        }
        #expect(ties > 20 && exact > 500, "\(ties) ties, \(exact) exact blocks")
    }
}
