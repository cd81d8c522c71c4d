import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Positions and lengths by sampled bit rates (R-SEEK-25)")
struct SampledPositionTests {
    /// Two media of 300 s without a tag, whose bit rate is low in the first two thirds.
    static let uneven = [
        ("uneven", "mp3", ["-c:a", "libmp3lame", "-q:a", "3"] + LongMedium.bare),
        ("uneven-adts", "aac", ["-c:a", "aac", "-aac_pns", "0", "-q:a", "1", "-f", "adts"]),
    ].map { name, fileExtension, arguments in
        let audio = "aevalsrc='if(lt(t,200),0.3*sin(2*PI*(200*t+3*t*t)),random(0)-0.5)':s=44100:d=300"
        return LongMedium(name: name, fileExtension: fileExtension, arguments: arguments, audio: audio)
    }
    private static let length = 300.0
    /// The largest error of a sampled length or position, in seconds: the sampling of these short media has only 12 parts.
    private static let largestError = 25.0

    /// Reads until the excerpts that have been requested are examined.
    private func readOn(_ reader: FFmpegReader, blocks count: Int = 200) throws {
        for _ in 0..<count { _ = try reader.read() }
    }

    /// Returns the position of the next audio of a reader, in seconds, by comparison with the samples of uninterrupted reading.
    private func heard(_ reader: FFmpegReader, _ medium: LongMedium) throws -> Double {
        let part = try Array(Reading.samples(reader, limit: 8192).prefix(1000))
        return try Double(#require(CalculatedSeekTests.position(of: part, in: medium.samples()))) / Double(medium.rate)
    }

    @Test("the estimated duration becomes that of the sampling while the medium is played", arguments: uneven)
    func duration(_ medium: LongMedium) throws {
        let (source, reader) = try medium.remote(), opened = try #require(reader.duration.seconds)
        #expect(abs(opened - Self.length) > 2 * Self.largestError, "\(opened)")
        source.deliversExcerpts = true
        try readOn(reader)
        let sampled = try #require(reader.duration.seconds)
        #expect(!reader.duration.isExact && abs(sampled - Self.length) < Self.largestError, "\(sampled)")
        #expect(reader.takeCorrection() == 0)
    }

    @Test("a seek lands near its target after the sampling", arguments: uneven)
    func landing(_ medium: LongMedium) throws {
        let (source, reader) = try medium.remote()
        source.deliversExcerpts = true
        try readOn(reader)
        for second in [250.0, 215, 290] {
            _ = try reader.seek(to: Int64(second) * Int64(medium.rate), before: 0, after: 0, allowsEstimate: true)
            #expect(reader.isPositionEstimated)
            let landed = try heard(reader, medium)
            #expect(abs(landed - second) < Self.largestError, "\(landed) instead of \(second) s")
        }
    }

    @Test("estimated positions are corrected by a later sampling, stay estimated, and the audio continues unbroken", arguments: uneven)
    func correction(_ medium: LongMedium) throws {
        let (source, reader) = try medium.remote(), rate = Double(medium.rate)
        _ = try reader.seek(to: Int64(300 * rate), before: 0, after: 0, allowsEstimate: true)
        let first = try #require(try reader.read())
        #expect(first.position == Int64(300 * rate))
        source.deliversExcerpts = true
        var blocks = [first], correction: Int64 = 0
        while blocks.count < 200, let block = try reader.read() {
            correction += reader.takeCorrection()
            blocks.append(block)
        }
        #expect(reader.isPositionEstimated && correction != 0)
        let whole = try medium.samples(), heard = blocks.flatMap { block in withExtendedLifetime(block) { Array(block.samples) } }
        let start = try #require(CalculatedSeekTests.position(of: Array(heard.prefix(1000)), in: whole))
        #expect(zip(heard, whole[start...]).allSatisfy { abs($0 - $1) <= 0x1p-14 })
        #expect(blocks.last.map { $0.end } == first.position + Int64(heard.count) + correction)
        let errors = [first.position, first.position + correction].map { abs($0 - Int64(start)) }
        #expect(errors[1] < errors[0] / 2, "\(errors)")
    }

    @Test(
        "a medium of constant bit rate is sampled in one round, and keeps its duration and its exact positions",
        arguments: LongMedium.constant.dropFirst().dropLast())
    func constant(_ medium: LongMedium) throws {
        let (source, reader) = try medium.remote(), duration = reader.duration
        #expect(source.requestedExcerpts.count == 4)
        source.deliversExcerpts = true
        try readOn(reader, blocks: 40)
        #expect(reader.duration == duration && source.requestedExcerpts.isEmpty)
        _ = try reader.seek(to: Int64(27 * medium.rate), before: 0, after: 0, allowsEstimate: true)
        #expect(!reader.isPositionEstimated)
    }

    @Test("a medium whose tag states its length is not sampled")
    func tag() throws {
        #expect(try TieTests.tagged.remote().source.requestedExcerpts.isEmpty)
        #expect(try LongMedium.variable[0].remote().source.requestedExcerpts.isEmpty)
    }

    @Test(
        "a step from audio at estimated positions keeps to that audio, although a better estimate has arrived, and is corrected after it",
        arguments: uneven)
    func step(_ medium: LongMedium) throws {
        let (source, reader) = try medium.remote(), rate = Int64(medium.rate)
        _ = try reader.seek(to: 300 * rate, before: 0, after: 0, allowsEstimate: true)
        let first = try #require(try reader.read()), whole = try medium.samples()
        let start = try #require(CalculatedSeekTests.position(of: Array(withExtendedLifetime(first) { first.samples[..<1000] }), in: whole))
        source.deliversExcerpts = true
        // The excerpts arrive with this read of the source, before the reader takes another packet.
        _ = try source.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        _ = try reader.seek(to: 310 * rate, before: 0, after: 0, allowsEstimate: true)
        var heard = try #require(try reader.read()), correction = reader.takeCorrection()
        for _ in 0..<20 where correction == 0 {
            heard = try #require(try reader.read())
            correction = reader.takeCorrection()
        }
        #expect(reader.isPositionEstimated && correction != 0)
        let part = Array(withExtendedLifetime(heard) { heard.samples[..<1000] })
        let found = try #require(CalculatedSeekTests.position(of: part, in: whole))
        // Frames of the former numbers between the two places are frames of the audio.
        let distance = Int(heard.position - correction - first.position)
        #expect(abs(found - start - distance) <= 4 * medium.rate, "\(found - start) instead of \(distance)")
    }

    @Test("an estimate that arrives while exact audio is read replaces the positions by the former one", arguments: uneven)
    func exactMeanwhile(_ medium: LongMedium) throws {
        let (source, reader) = try medium.remote(), rate = Int64(medium.rate)
        _ = try reader.seek(to: 250 * rate, before: 0, after: 0, allowsEstimate: true)
        #expect(try reader.read() != nil && reader.isPositionEstimated)
        _ = try reader.seek(to: 0, before: 0, after: 0, allowsEstimate: true)
        #expect(!reader.isPositionEstimated)
        source.deliversExcerpts = true
        try readOn(reader)
        _ = try reader.seek(to: 255 * rate, before: 0, after: 0, allowsEstimate: true)
        let landed = try heard(reader, medium)
        #expect(abs(landed - 255) < Self.largestError, "\(landed)")
    }

    @Test("a step with tolerances is corrected after it with a conversion of the sample rate too", arguments: uneven)
    func convertedStep(_ medium: LongMedium) throws {
        let (source, reader) = try medium.remote()
        try reader.setOutputFormat(AudioFormat(sampleRate: 48_000, channelLayout: reader.info.format.channelLayout))
        _ = try reader.seek(to: 300 * 48_000, before: 0, after: 0, allowsEstimate: true)
        #expect(try reader.read() != nil)
        source.deliversExcerpts = true
        _ = try source.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        let landing = try reader.seek(to: 310 * 48_000, before: .max / 8, after: .max / 8, allowsEstimate: true)
        #expect(abs(landing - 310 * 48_000) <= 2 * 48_000)
        var end = landing, correction: Int64 = 0
        for _ in 0..<20 {
            let block = try #require(try reader.read())
            correction += reader.takeCorrection()
            #expect(abs(block.position - end - correction) <= 1)
            end = block.end - correction
        }
        #expect(reader.isPositionEstimated && abs(correction) > 48_000)
    }
}
