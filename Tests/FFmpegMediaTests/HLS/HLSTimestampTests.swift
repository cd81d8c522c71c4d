import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

/// The timestamps with which segments begin.
@Suite("HLS timestamps")
struct HLSTimestampTests {
    @Test("the distance of a timestamp from a later one is negative, also if the playlist states that it is far before it")
    func earlier() throws {
        let folder = try HLSFolder.flac(TestSignal(frameCount: 5 * 44_100 + 777))
        let bytes = (folder.files["/init.mp4"] ?? []) + (folder.files[folder.segments[0]] ?? [])
        let demuxer = try Demuxer(SequentialBytes(bytes), interrupt: Interrupt())
        let stream = try SampleStream(demuxer, start: StreamStart(demuxer))
        let stamp = try #require(HLSTimestamp(stream, tag: nil)), hour: Int64 = 3600 * 44_100
        let distance = try #require(stamp.moved(by: -hour, rate: 44_100).frames(since: stamp, near: -hour, rate: 44_100))
        #expect(abs(distance + hour) <= 1)
        #expect(stamp.frames(since: stamp, near: -hour, rate: 44_100) == nil)
    }
}
