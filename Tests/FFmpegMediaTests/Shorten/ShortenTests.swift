import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Shorten")
struct ShortenTests {
    static let signal = TestSignal(frameCount: 30_000)

    /// Writes Shorten, version 2: the differences of consecutive samples, in blocks of 256 frames.
    private struct Writer {
        var bytes: [UInt8] = Array("ajkg".utf8) + [2]
        private var last: UInt8 = 0
        private var count = 0

        mutating func bit(_ isSet: Bool) {
            last = last << 1 | (isSet ? 1 : 0)
            count += 1
            if count % 8 == 0 { bytes.append(last) }
        }
        mutating func put(_ number: Int, _ width: Int) {
            for _ in 0..<(number >> width) { bit(false) }
            bit(true)
            for index in stride(from: width - 1, through: 0, by: -1) { bit(number >> index & 1 != 0) }
        }
        mutating func field(_ number: Int) {
            let width = max(0, Int.bitWidth - number.leadingZeroBitCount - 1)
            put(width, 2)
            put(number, width)
        }
        mutating func finish() { while count % 32 != 0 { bit(false) } }
    }

    static func bytes(stated: Int = signal.frameCount) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let format = little(16, 4) + little(1, 2) + little(2, 2) + little(44_100, 4) + little(176_400, 4) + little(4, 2) + little(16, 2)
        let header = Array("RIFF".utf8) + little(36 + 4 * stated, 4) + Array("WAVEfmt ".utf8) + format + Array("data".utf8) + little(4 * stated, 4)
        var writer = Writer()
        for number in [5, 2, 256, 0, 0, 0] { writer.field(number) }
        writer.put(9, 2)
        writer.put(header.count, 5)
        for byte in header { writer.put(Int(byte), 8) }
        let samples = signal.integers(bits: 16)
        var before = [0, 0]
        for start in stride(from: 0, to: signal.frameCount, by: 256) {
            let end = min(start + 256, signal.frameCount)
            if end - start < 256 {
                writer.put(5, 2)
                writer.field(end - start)
            }
            for channel in 0..<2 {
                writer.put(1, 2)
                writer.put(10, 3)
                for frame in start..<end {
                    let sample = Int(samples[2 * frame + channel]), difference = sample - before[channel]
                    writer.put(difference >= 0 ? 2 * difference : -2 * difference - 1, 11)
                    before[channel] = sample
                }
            }
        }
        writer.put(4, 2)
        writer.finish()
        return writer.bytes
    }

    @Test("a Shorten file has a length at open, is read exactly, and seeks exactly")
    func length() throws {
        let url = try DurationTests.file("whole.shn", ShortenTests.bytes())
        let reader = try Reading.open(url), frames = Int64(ShortenTests.signal.frameCount)
        #expect(reader.duration == .estimated(frames: frames, sampleRate: 44_100))
        let whole = ShortenTests.signal.integers(bits: 16).map { Float($0) * 0x1p-15 }
        let isEqual = try Reading.samples(reader) == whole
        #expect(isEqual && reader.duration == .exact(frames: frames, sampleRate: 44_100))
        for target in [20_000, 100, 29_000] {
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let isRestEqual = try Reading.samples(reader) == Array(whole.dropFirst(2 * target))
            #expect(isRestEqual, "after a seek to \(target)")
        }
        #expect(try Reading.open(url, precise: true).duration == .exact(frames: frames, sampleRate: 44_100))
    }

    @Test("an absurd length, a cut header and other bytes state no length")
    func invalid() throws {
        func frames(_ bytes: [UInt8]) -> Int64? { bytes.withUnsafeBufferPointer { ShortenHeader.frames($0) } }
        let bytes = ShortenTests.bytes()
        #expect(frames(bytes) == Int64(ShortenTests.signal.frameCount))
        for count in [0, 4, 5, 10, 60] { #expect(frames(Array(bytes.prefix(count))) == nil) }
        #expect(frames(Array("ajkg".utf8) + [2] + [UInt8](repeating: 0, count: 1000)) == nil)
        #expect(frames(Array("ajkg".utf8) + [2] + [UInt8](repeating: 255, count: 1000)) == nil)
        #expect(frames(Array("RIFF".utf8) + bytes.dropFirst(4)) == nil)
    }
}
