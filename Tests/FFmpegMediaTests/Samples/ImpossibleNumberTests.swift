import CFFmpeg
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Extreme numbers in media")
struct ImpossibleNumberTests {
    /// A source that states a length far greater than its content: a server, or a sparse file that is larger than any disk. Its content repeats up to
    /// that length.
    private final class BoastingSource: ByteSource {
        private let bytes: [UInt8]
        let length: Int64?
        let isRemote: Bool
        var isLive: Bool { false }
        var isSeekable: Bool { true }
        private(set) var offset: Int64 = 0

        init(_ bytes: [UInt8], length: Int64, isRemote: Bool) { (self.bytes, self.length, self.isRemote) = (bytes, length, isRemote) }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
            let start = Int(offset % Int64(bytes.count)), count = min(buffer.count, bytes.count - start)
            buffer.copyBytes(from: bytes[start..<(start + count)])
            offset += Int64(count)
            return count
        }
        func seek(to offset: Int64) throws(PlaybackError) { self.offset = max(0, offset) }
    }

    @Test("NaN and doubles out of range become numbers that can be added safely", arguments: [.nan, .infinity, -.infinity, 1e300] as [Double])
    func bounded(_ value: Double) {
        #expect(Int64(bounded: value).magnitude <= PacketClock.furthest.magnitude)
        #expect(Int64(bounded: 1234.9) == 1234 && Int64(bounded: -0.5) == 0)
    }

    @Test("the estimated length of a stream of nearly 2⁶³ bytes is bounded", arguments: [1 << 62, Int64.max - 1] as [Int64])
    func estimate(_ length: Int64) throws {
        let bytes = try DurationTests.bytes("bare-impossible", "mp2", ["-c:a", "mp2"])
        let io = try IOContext(BoastingSource(bytes, length: length, isRemote: false), interrupt: Interrupt())
        let raw = try #require(io.raw)
        let estimate = try #require(RawStreamEstimate(raw, start: 0, isADTS: false))
        #expect(estimate.samples > 0 && estimate.samples <= PacketClock.furthest)
    }

    @Test("an MP3 from a server with an extreme length and an inconsistent tag is opened")
    func remoteLength() throws {
        var bytes = try DurationTests.bytes("tagged-impossible", "mp3", ["-c:a", "libmp3lame", "-b:a", "32k"])
        let offset = try #require(bytes.indices.prefix(4096).first { Array(bytes[$0..<$0 + 4]) == Array("Info".utf8) })
        // The tag of the file is changed: it states one frame, and no number of bytes.
        bytes[offset + 7] &= ~2
        bytes.replaceSubrange((offset + 8)..<(offset + 12), with: [0, 0, 0, 1])
        let source = BoastingSource(bytes, length: 1 << 60, isRemote: true)
        let reader = try FFmpegOpener().open(source, MediaSource(.remote(url: "http://h/")), interrupt: Interrupt())
        #expect(try reader.read() != nil)
    }

    @Test("a table that claims all bytes of a file of nearly 2⁶³ bytes does not overflow", arguments: ["stz2", "stsz", "stsd", "elst"])
    func endlessTable(_ name: String) {
        var bytes = Boxes.box("ftyp", Array("isom".utf8) + Boxes.numbers(0))
        for name in ["moov", "trak", "mdia", "minf", "stbl", name] {
            bytes += Boxes.numbers(1)
            bytes += Array(name.utf8)
            bytes += Boxes.bytes(1 << 62, 8)
        }
        bytes += Boxes.numbers(0, 16, 20)
        bytes += [UInt8](repeating: 0, count: 4096)
        let source = BoastingSource(bytes, length: .max, isRemote: false)
        var limited = FFmpegOpener()
        limited.byteLimit = 1 << 20
        let opener = limited
        #expect(throws: PlaybackError.self) { try opener.open(source, MediaSource(.remote(url: "http://h/")), interrupt: Interrupt()) }
    }

    /// Returns the header of a FLAC frame, with its checksum (RFC 9639, section 9.1). The stream has blocks of a fixed size of 65,535 samples.
    private func header(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xF8, 0x79, 0x18, 0xFE]
        for index in 0..<6 { bytes.append(0x80 | UInt8(number >> UInt64(30 - 6 * index) & 0x3F)) }
        bytes += [0xFF, 0xFE]
        var checksum: UInt8 = 0
        for byte in bytes {
            checksum ^= byte
            for _ in 0..<8 { checksum = checksum & 0x80 != 0 ? checksum << 1 ^ 7 : checksum << 1 }
        }
        return bytes + [checksum]
    }

    @Test("a FLAC file whose last frames have the greatest numbers possible is opened, and its length is unknown")
    func lastFrames() throws {
        var bytes = try DurationTests.bytes("impossible-frames", "flac", ["-c:a", "flac"])
        // The block STREAMINFO is changed: blocks of 65,535 samples, frames of up to 16 MiB, and no total number of samples.
        bytes.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0xFF])
        bytes.replaceSubrange(15..<18, with: [0xFF, 0xFF, 0xFF])
        bytes[21] &= 0xF0
        bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        bytes += header(1 << 36 - 2) + header(1 << 36 - 1) + [UInt8](repeating: 0, count: 32)
        let reader = try Reading.open(DurationTests.file("impossible-frames.flac", bytes))
        #expect(try reader.read() != nil)
        #expect(reader.duration == .unknown)
    }

    @Test("a length that no medium of the size can have is unknown; a book of 100 hours in few bytes is not")
    func possible() {
        let hour = 3600 * 44_100 as Int64, all = MediaDuration.exact(frames: 100 * hour, sampleRate: 44_100)
        #expect(LengthCheck.possible(all, in: 2_000_000) == all && LengthCheck.possible(all, in: nil) == all)
        let absurd = MediaDuration.exact(frames: PacketClock.furthest, sampleRate: 44_100)
        #expect(LengthCheck.possible(absurd, in: 1_000_000) == .unknown && LengthCheck.possible(absurd, in: nil) == .unknown)
        #expect(LengthCheck.possible(.estimated(frames: 10_000 * hour, sampleRate: 44_100), in: nil) == .unknown)
        #expect(LengthCheck.possible(.unknown, in: nil) == .unknown)
    }

    @Test(
        "an absurd length in the header of Windows Media is unknown, with and without the size of the file (R-ASSET-10)",
        arguments: [1e4, 1e6, 56_734_689])
    func windowsMedia(_ hours: Double) throws {
        var bytes = try DurationTests.bytes("absurd", "wma", ["-c:a", "wmav2"])
        let whole = try Reading.samples(Reading.open(DurationTests.file("absurd.wma", bytes)))
        // The object of the file's properties states the duration in units of 100 ns.
        let name: [UInt8] = [0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11]
        let start = try #require(bytes.indices.dropLast(8).first { Array(bytes[$0..<($0 + 8)]) == name })
        for index in 0..<8 { bytes[start + 64 + index] = UInt8(UInt64(hours * 3.6e10) >> UInt64(8 * index) & 255) }
        let reader = try Reading.open(DurationTests.file("absurd-\(hours).wma", bytes))
        #expect(reader.duration == .unknown)
        let isEqual = try Reading.samples(reader) == whole
        #expect(isEqual && reader.duration == .exact(frames: Int64(whole.count / 2), sampleRate: 44_100))
        let server = try MediaServer { [bytes] _ in .chunked(bytes, size: 5000) }
        defer { server.stop() }
        #expect(try RemoteTests.open(server.url("/absurd")).duration == .unknown)
    }
}
