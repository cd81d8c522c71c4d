import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Walks over frame headers")
struct FrameWalkTests {
    /// Returns a frame of MPEG-1 layer 3 at 44.1 kHz, whose bit rate has the code `rate` (9 is 128 kbit/s), filled with `content`.
    static func frame(_ rate: UInt8 = 9, isPadded: Bool = false, content: UInt8 = 0) -> [UInt8] {
        let header: [UInt8] = [0xFF, 0xFB, rate << 4 | (isPadded ? 2 : 0), 0xC4]
        let size = header.withUnsafeBufferPointer { MPEGAudioHeader($0)?.frameSize ?? 0 }
        return header + [UInt8](repeating: content, count: size - 4)
    }
    /// Returns an ADTS frame of `size` bytes.
    static func adts(_ size: Int) -> [UInt8] {
        let header: [UInt8] = [0xFF, 0xF1, 0x50, 0x80 | UInt8(size >> 11), UInt8(size >> 3 & 0xFF), UInt8(size & 7) << 5 | 0x1F, 0xFC]
        return header + [UInt8](repeating: 0x11, count: size - 7)
    }

    /// Walks over `bytes` in portions of `portion` bytes. Returns the walk and the marked frames.
    static func walk(
        _ bytes: [UInt8], isADTS: Bool = false, portion: Int = .max, limit: Int64 = .max, spacing: Int64 = 10
    ) throws -> (walk: FrameWalk, marks: [FrameWalk.Frame]) {
        let run = try #require(bytes.withUnsafeBufferPointer { FrameRun($0, isADTS: isADTS) })
        var walk = FrameWalk(run, from: 1000), marks: [FrameWalk.Frame] = []
        while !walk.isOver, walk.count < limit {
            let first = Int(walk.offset - 1000), end = portion == .max ? bytes.count : min(bytes.count, first + portion)
            bytes.withUnsafeBufferPointer { bytes in
                walk.advance(over: UnsafeBufferPointer(rebasing: bytes[first..<end]), limit: limit, spacing: spacing) { marks.append($0) }
            }
            if walk.offset == Int64(first) + 1000 { break }
        }
        return (walk, marks)
    }

    @Test("frames of any bit rate, padded or not, are counted up to the last one that another follows", arguments: [FrameWalk.window, 65_536, .max])
    func variable(_ portion: Int) throws {
        var random = SeededGenerator(seed: 1), bytes: [UInt8] = [], offsets: [Int64] = []
        for _ in 0..<1000 {
            offsets.append(Int64(bytes.count) + 1000)
            bytes += Self.frame(UInt8.random(in: 1...14, using: &random), isPadded: Bool.random(using: &random))
        }
        let (walk, marks) = try Self.walk(bytes, portion: portion)
        #expect(walk.count == 999 && walk.offset == offsets[999] && !walk.isOver)
        #expect(marks.map(\.number) == Array(stride(from: 0, to: 999, by: 10)))
        #expect(marks.allSatisfy { $0.offset == offsets[Int($0.number)] })
        #expect(walk.last?.number == 998 && walk.last?.offset == offsets[998])
    }

    @Test("a walk stops at its limit")
    func limit() throws {
        let (walk, marks) = try Self.walk(Array(repeating: Self.frame(), count: 100).flatMap { $0 }, portion: 20_000, limit: 37)
        #expect(walk.count == 37 && walk.last?.number == 36 && marks.count == 4)
    }

    @Test("ADTS frames of any size are counted")
    func adts() throws {
        var random = SeededGenerator(seed: 2), bytes: [UInt8] = []
        for _ in 0..<300 { bytes += Self.adts(Int.random(in: 8...8191, using: &random)) }
        let walk = try Self.walk(bytes, isADTS: true, portion: FrameWalk.window).walk
        #expect(walk.count == 299 && !walk.isOver)
    }

    @Test(
        "a walk is over before anything that is not a frame of the same kind",
        arguments: [
            [0], Array("ID3".utf8), [0xFF, 0xFB, 0x00, 0xC4], [0xFF, 0xFB, 0x94, 0xC4], [0xFF, 0xFD, 0x90, 0xC4], [0xFF, 0xF3, 0x90, 0xC4],
            [0xFF, 0xFB, 0xF0, 0xC4],
        ] as [[UInt8]])
    func others(_ other: [UInt8]) throws {
        let frames = Array(repeating: Self.frame(), count: 50).flatMap { $0 }
        let walk = try Self.walk(frames + other + [UInt8](repeating: 0, count: 2000) + frames).walk
        #expect(walk.isOver && walk.count == 49 && walk.offset == 1000 + 49 * 417)
    }

    @Test("sync words inside frames are not headers")
    func inside() throws {
        let bytes = (0..<60).flatMap { _ in Self.frame(content: 0xFF) }
        #expect(try Self.walk(bytes).walk.count == 59)
    }

    @Test("free format and ADTS frames without content begin no run")
    func none() {
        for bytes in [[0xFF, 0xFB, 0x00, 0xC4, 0, 0, 0, 0], [0xFF, 0xFB, 0x90]] as [[UInt8]] {
            #expect(bytes.withUnsafeBufferPointer { FrameRun($0, isADTS: false) } == nil)
        }
        #expect([0xFF, 0xF1, 0x50, 0x80, 0x00, 0xFF, 0xFC].withUnsafeBufferPointer { FrameRun($0, isADTS: true) } == nil)
    }
}
