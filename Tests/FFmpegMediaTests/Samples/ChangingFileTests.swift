import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Files that change during reading")
struct ChangingFileTests {
    /// The bytes of a local file that another program overwrites: after a given number of reads, the source delivers other bytes.
    private final class ChangingSource: ByteSource {
        private let before: [UInt8]
        private let after: [UInt8]
        /// The number of reads that still deliver the original bytes.
        private var patience: Int
        private(set) var offset: Int64 = 0

        init(_ before: [UInt8], then after: [UInt8], afterReads patience: Int) {
            (self.before, self.after, self.patience) = (before, after, patience)
        }

        private var bytes: [UInt8] { patience > 0 ? before : after }
        var length: Int64? { Int64(bytes.count) }
        var isRemote: Bool { false }
        var isLive: Bool { false }
        var isSeekable: Bool { true }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
            let start = Int(min(offset, Int64(bytes.count))), count = min(buffer.count, bytes.count - start)
            buffer.copyBytes(from: bytes[start..<(start + count)])
            offset += Int64(count)
            patience -= 1
            return count
        }

        func seek(to offset: Int64) throws(PlaybackError) { self.offset = max(0, offset) }
    }

    struct Medium: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: @Sendable () throws -> [UInt8]
    }

    /// The tested media: a sixth of a second in each container and codec, and a file of several parts.
    static let media: [Medium] = Encoding.all.map(medium) + [chainedOgg]
    private static let chainedOgg = Medium(testDescription: "chained-ogg") {
        try joined("ogg", ["1", "2"].map { ["-c:a", "libvorbis", "-serial_offset", $0] })
    }

    private static func medium(_ encoding: Encoding) -> Medium {
        var short = encoding
        short.name = "changing-" + encoding.name
        let rate = encoding.signal.sampleRate
        if encoding.rewrite == nil { short.signal = TestSignal(sampleRate: rate, frameCount: rate / 6) }
        return Medium(testDescription: encoding.name) { [short] in try [UInt8](Data(contentsOf: short.file())) }
    }

    private static func joined(_ ending: String, _ arguments: [[String]]) throws -> [UInt8] {
        try arguments.enumerated().flatMap { number, arguments in
            let signal = TestSignal(frameCount: 7000, seed: UInt64(number + 1))
            return try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "changing-part", ending, arguments)))
        }
    }

    /// Opens the source, reads, and seeks to near and distant positions. A failed call is ignored, and the next call follows; no call may trap.
    private func play(_ source: ChangingSource, precise: Bool) {
        let medium = MediaSource(.file(path: "/changing"), prefersPreciseDuration: precise)
        guard let reader = try? FFmpegOpener().open(source, medium, interrupt: Interrupt()) else { return }
        let places: [Int64?] = [nil, 5000, 0, 1 << 40, 4000]
        for place in places {
            if let place { _ = try? reader.seek(to: place, before: 0, after: 0) }
            guard let block = try? reader.read() else { continue }
            #expect(block.frameCount > 0)
        }
    }

    @Test("a file that shrinks ends or fails, whenever and wherever it is cut", arguments: media)
    func shrinks(_ medium: Medium) throws {
        let whole = try medium.bytes()
        for cut in [0, 40, whole.count / 3, whole.count - 1] {
            for reads in [1, 2, 3, 4, 6] { play(ChangingSource(whole, then: Array(whole.prefix(cut)), afterReads: reads), precise: reads % 2 == 0) }
        }
    }

    @Test("a file that grows or whose bytes move continues, ends or fails", arguments: media)
    func grows(_ medium: Medium) throws {
        let whole = try medium.bytes()
        let half = Array(whole.prefix(whole.count / 2)), moved = [UInt8](repeating: 0, count: 5003) + whole
        for reads in [1, 3, 4] {
            play(ChangingSource(half, then: whole, afterReads: reads), precise: reads % 2 == 0)
            play(ChangingSource(whole, then: whole + whole, afterReads: reads), precise: reads % 2 == 1)
            play(ChangingSource(whole, then: moved, afterReads: reads), precise: reads % 2 == 0)
            play(ChangingSource(moved, then: Array(whole.dropFirst(whole.count / 3)), afterReads: reads), precise: false)
        }
    }
}
