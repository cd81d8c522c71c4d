import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Frames that the end of a file truncates")
struct TruncatedFrameTests {
    enum Form: String, CaseIterable {
        case adts, loas, dts

        var arguments: [String] {
            switch self {
            case .adts: ["-c:a", "aac", "-b:a", "128k", "-f", "adts"]
            case .loas: ["-c:a", "aac", "-b:a", "128k", "-f", "latm"]
            case .dts: ["-c:a", "dca", "-strict", "-2", "-f", "dts"]
            }
        }
        var frameSize: Int64 { self == .dts ? 512 : 1024 }

        /// Returns the size of the frame at an offset, in bytes, by its header.
        func size(_ bytes: [UInt8], _ at: Int) -> Int {
            switch self {
            case .adts: Int(bytes[at + 3] & 3) << 11 | Int(bytes[at + 4]) << 3 | Int(bytes[at + 5]) >> 5
            case .loas: (Int(bytes[at + 1] & 0x1F) << 8 | Int(bytes[at + 2])) + 3
            case .dts: (Int(bytes[at + 5] & 3) << 12 | Int(bytes[at + 6]) << 4 | Int(bytes[at + 7]) >> 4) + 1
            }
        }
    }

    @Test(
        "an incomplete last frame of ADTS, LOAS or DTS is no frame of silence, at open, after reading and after a seek", arguments: Form.allCases,
        [8, 100])
    func lastFrame(_ form: Form, _ count: Int) throws {
        let bytes = try DurationTests.bytes("truncated", form.rawValue, form.arguments)
        var starts: [Int] = [], at = 0
        while at + 8 < bytes.count {
            starts.append(at)
            at += form.size(bytes, at)
        }
        let last = starts[starts.count - 2], frames = form.frameSize * Int64(starts.count - 2)
        let whole = try Reading.samples(Reading.open(DurationTests.file("truncated.\(form)", Array(bytes[..<last]))))
        #expect(Int64(whole.count) == 2 * frames)
        let url = try DurationTests.file("truncated-\(count).\(form)", Array(bytes[..<(last + count)]))
        let reader = try Reading.open(url)
        let isEqual = try Reading.samples(reader) == whole
        #expect(isEqual && reader.duration == .exact(frames: frames, sampleRate: 44_100) && reader.skippedPackets == 0)
        #expect(try Reading.open(url, precise: true).duration == .exact(frames: frames, sampleRate: 44_100))
        let late = try Reading.open(url)
        _ = try late.seek(to: frames + 100, before: 0, after: 0)
        #expect(try late.read() == nil && late.duration == .exact(frames: frames, sampleRate: 44_100))
    }
}
