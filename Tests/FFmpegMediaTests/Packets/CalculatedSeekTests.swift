import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia

@Suite("Seeks in remote MPEG audio without the bytes before the target (R-SEEK-21)")
struct CalculatedSeekTests {
    /// The most bytes that a seek may read; each medium has more than twice as many.
    static let limit = 340_000

    @Test("with a constant bit rate the landing is exact, and costs few requests and bytes", arguments: LongMedium.constant)
    func constant(_ medium: LongMedium) throws {
        let whole = try medium.samples(), (source, reader) = try medium.remote()
        for second in [27, 13, 35, 24] {
            let (jumps, count) = (source.jumps, source.byteCount), target = Int64(second * medium.rate + 17)
            #expect(try reader.seek(to: target, before: 0, after: 0, allowsEstimate: true) == target)
            let block = try #require(try reader.read())
            #expect(!reader.isPositionEstimated && block.position == target)
            #expect(Reading.difference(block, whole, first: Int(target)) <= 0x1p-15, "to \(second) s")
            // The frames at the start, those at the end, the target, and FFmpeg's own read of the target, which a buffered source keeps.
            #expect(source.jumps - jumps <= 4 && source.byteCount - count < Self.limit, "\(source.jumps - jumps), \(source.byteCount - count)")
        }
    }

    @Test("with a variable bit rate the landing is estimated and close, and costs few bytes", arguments: LongMedium.variable)
    func variable(_ medium: LongMedium) throws {
        let whole = try medium.samples(), (source, reader) = try medium.remote()
        for second in [27, 13] {
            let count = source.byteCount, target = Int64(second * medium.rate)
            #expect(try reader.seek(to: target, before: 0, after: 0, allowsEstimate: true) == target)
            let heard = try Reading.samples(reader, limit: 8192)
            #expect(reader.isPositionEstimated)
            #expect(source.byteCount - count < Self.limit, "\(source.byteCount - count)")
            // The decoder's bit reservoir is full: the samples are those of some position near the target.
            let first = max(0, Int(target) - 4 * medium.rate), near = Array(whole[first..<min(whole.count, Int(target) + 4 * medium.rate)])
            let found = Self.position(of: Array(heard.prefix(1000)), in: near)
            let error = try Double(#require(found) + first - Int(target)) / Double(medium.rate)
            // The table has steps of 1/256 of the bytes: a second of the quiet parts.
            if medium.name == "vbr-xing" { #expect(abs(error) < 2, "\(error) s") }
        }
    }

    @Test("a seek that demands an exact position reads all bytes before it, and the position is exact again", arguments: LongMedium.variable)
    func exact(_ medium: LongMedium) throws {
        let whole = try medium.samples(), reader = try medium.remote().reader
        let target = Int64(27 * medium.rate)
        for before in [true, false] {
            _ = try reader.seek(to: target, before: 0, after: 0, allowsEstimate: before)
            #expect(reader.isPositionEstimated == before)
        }
        let block = try #require(try reader.read())
        #expect(Reading.difference(block, whole, first: Int(target)) <= 0x1p-15)
    }

    @Test("a seek that reads all bytes before its target reports how far it has come (R-SEEK-23)", arguments: LongMedium.variable)
    func progress(_ medium: LongMedium) throws {
        let reader = try medium.remote().reader, progress = SeekProgress(clock: SteadyClock()), reported = Reported()
        progress.observe { [unowned progress] in reported.append(progress.fraction) }
        reader.setSeekProgress(progress)
        _ = try reader.seek(to: Int64(27 * medium.rate), before: 0, after: 0)
        let fractions = reported.values.compactMap { $0 }
        #expect(fractions.count > 3 && fractions == fractions.sorted() && fractions.allSatisfy((0...1).contains))
        #expect(reported.values.last == .some(nil))
    }

    @Test("seeks near audio at an estimated position keep to that audio", arguments: LongMedium.variable)
    func near(_ medium: LongMedium) throws {
        let reader = try medium.remote().reader, rate = medium.rate, target = Int64(20 * rate)
        _ = try reader.seek(to: target, before: 0, after: 0, allowsEstimate: true)
        let first = try Reading.samples(reader, limit: 6 * rate)
        for offset in [rate, 4 * rate, 5 * rate, 2 * rate] {
            let next = target + Int64(offset)
            #expect(try reader.seek(to: next, before: 0, after: 0, allowsEstimate: true) == next)
            let block = try #require(try reader.read())
            #expect(Reading.difference(block, first, first: offset) <= 0x1p-15, "\(offset)")
            #expect(reader.isPositionEstimated)
        }
    }

    @Test("an item at an estimated position ends with its last audio, and its duration does not become exact there", arguments: LongMedium.variable)
    func end(_ medium: LongMedium) throws {
        let whole = try medium.samples(), reader = try medium.remote().reader, duration = reader.duration
        _ = try reader.seek(to: Int64(30 * medium.rate), before: 0, after: 0, allowsEstimate: true)
        let heard = try Reading.samples(reader), last = Array(whole.suffix(4000).prefix(1000))
        #expect(Self.position(of: last, in: heard) != nil)
        #expect(reader.duration == duration)
    }

    @Test("positions stay estimated until a seek leads to a known position, although all bytes have been received", arguments: LongMedium.variable)
    func known(_ medium: LongMedium) throws {
        let whole = try medium.samples(), (source, reader) = try medium.remote()
        source.keepsBytes = true
        _ = try reader.seek(to: Int64(20 * medium.rate), before: 0, after: 0, allowsEstimate: true)
        source.keep(0..<source.bytes.count)
        _ = try Reading.samples(reader)
        #expect(reader.isPositionEstimated)
        let target = 5 * medium.rate
        #expect(try reader.seek(to: Int64(target), before: 0, after: 0, allowsEstimate: true) == Int64(target))
        #expect(!reader.isPositionEstimated)
        #expect(Reading.difference(try #require(try reader.read()), whole, first: target) <= 0x1p-15)
    }

    @Test("in random sequences of seeks, reads, arrivals and losses of bytes, a position that is not called estimated is exact")
    func random() throws {
        var random = SeededGenerator(seed: 24), exact = 0, estimated = 0
        for medium in LongMedium.variable {
            let whole = try medium.samples(), bytes = try medium.bytes()
            for _ in 0..<250 {
                let (source, reader) = try medium.remote(bytes)
                source.keepsBytes = true
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0: source.dropKept()
                    case 1, 2:
                        let start = Int.random(in: 0..<bytes.count, using: &random)
                        source.keep(start..<Int.random(in: start..<bytes.count, using: &random))
                    case 3: source.keep(0..<Int.random(in: 0..<bytes.count, using: &random))
                    default:
                        let target = Int64.random(in: 0..<Int64(whole.count - 20_000), using: &random)
                        _ = try reader.seek(to: target, before: 0, after: 0, allowsEstimate: Int.random(in: 0..<8, using: &random) > 0)
                    }
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        guard let block = try reader.read() else { break }
                        guard !reader.isPositionEstimated else {
                            estimated += 1
                            continue
                        }
                        let first = Int(block.position)
                        guard first + block.samples.count <= whole.count else { continue }
                        exact += 1
                        let difference = Reading.difference(block, whole, first: first)
                        try #require(difference <= 0x1p-15, "\(medium.name), at \(block.position)")
                    }
                }
            }
        }
        #expect(exact > 500 && estimated > 500, "\(exact) exact blocks, \(estimated) estimated ones")
    }

    /// Returns the position in `whole` at which samples equal `part`, up to rounding; nil if there is none.
    static func position(of part: [Float], in whole: [Float]) -> Int? {
        guard whole.count >= part.count else { return nil }
        return whole.withUnsafeBufferPointer { whole in
            part.withUnsafeBufferPointer { part in
                var at = 0
                while at <= whole.count - part.count {
                    var index = 0
                    while index < part.count, abs(whole[at + index] - part[index]) <= 0x1p-14 { index += 1 }
                    if index == part.count { return at }
                    at += 1
                }
                return nil
            }
        }
    }

    /// A clock that advances by a second with each reading.
    private final class SteadyClock: HostClock {
        private let seconds = Mutex(0.0)
        var now: HostTime {
            seconds.withLock { seconds in
                seconds += 1
                return HostTime(seconds: seconds)
            }
        }
    }

    /// The reported fractions, in order.
    private final class Reported: Sendable {
        private let list = Mutex<[Double?]>([])
        var values: [Double?] { list.withLock { $0 } }
        func append(_ fraction: Double?) { list.withLock { $0.append(fraction) } }
    }
}
