import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Frames that the end of a file truncates")
struct TruncatedFrameTests {
    @Test("an incomplete last frame of ADTS is no frame of silence, at open, after reading and after a seek", arguments: [8, 100])
    func lastFrame(_ count: Int) throws {
        let bytes = try DurationTests.bytes("truncated", "aac", ["-c:a", "aac", "-b:a", "128k", "-f", "adts"])
        var starts: [Int] = [], at = 0
        while at + 7 < bytes.count {
            starts.append(at)
            at += Int(bytes[at + 3] & 3) << 11 | Int(bytes[at + 4]) << 3 | Int(bytes[at + 5]) >> 5
        }
        let last = starts[starts.count - 2], frames = Int64(1024 * (starts.count - 2))
        let whole = try Reading.samples(Reading.open(DurationTests.file("truncated.aac", Array(bytes[..<last]))))
        let url = try DurationTests.file("truncated-\(count).aac", Array(bytes[..<(last + count)]))
        let reader = try Reading.open(url)
        let isEqual = try Reading.samples(reader) == whole
        #expect(isEqual && reader.duration == .exact(frames: frames, sampleRate: 44_100))
        #expect(try Reading.open(url, precise: true).duration == .exact(frames: frames, sampleRate: 44_100))
        let late = try Reading.open(url)
        _ = try late.seek(to: frames + 100, before: 0, after: 0)
        #expect(try late.read() == nil && late.duration == .exact(frames: frames, sampleRate: 44_100))
    }
}
