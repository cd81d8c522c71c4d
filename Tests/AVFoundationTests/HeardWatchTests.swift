import PlaybackEngine
import Testing

@testable import AVFoundation

@Suite("What has been heard")
struct HeardWatchTests {
    private let item = ItemID(rawValue: 1)

    /// An item that begins at frame 1000, of which the frames before `written` have been rendered.
    private func watch(written: Int64, heard: Int64) -> HeardWatch {
        var timeline = Timeline()
        timeline.segments = [Timeline.Segment(start: 1000, item: item, mediaStart: 0, rate: 1)]
        timeline.written = written
        return HeardWatch(timeline, item: item, floor: 0, heard: heard, followers: [])
    }

    @Test("all that was rendered of an item has run dry when it has been heard")
    func dry() {
        #expect(watch(written: 5000, heard: 5000).reached == .dry)
        #expect(watch(written: 5000, heard: 4999).reached == nil)
        #expect(watch(written: 5000, heard: 4999).nextFrame == 5000)
    }

    @Test("an item of which nothing has been rendered has not run dry, but not begun (R-IMM-02)")
    func notBegun() {
        #expect(watch(written: 1000, heard: 1000).reached == nil)
        // What was played before it is still heard.
        #expect(watch(written: 600, heard: 600).reached == nil)
    }
}
