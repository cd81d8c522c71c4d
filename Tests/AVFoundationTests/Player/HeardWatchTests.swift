import PlaybackEngine
import Testing

@testable import AVFoundation

@Suite("HeardWatch")
struct HeardWatchTests {
    private let item = ItemID(rawValue: 1)

    /// A watch of an item that begins at frame 1000, with the frames before `written` rendered.
    private func watch(written: Int64, heard: Int64) -> HeardWatch {
        var timeline = Timeline()
        timeline.segments = [Timeline.Segment(start: 1000, item: item, mediaStart: 0, rate: 1)]
        timeline.written = written
        return HeardWatch(timeline, item: item, floor: 0, heard: heard, followers: [])
    }

    @Test("an item is dry when all its rendered frames have been heard")
    func dry() {
        #expect(watch(written: 5000, heard: 5000).reached == .dry)
        #expect(watch(written: 5000, heard: 4999).reached == nil)
        #expect(watch(written: 5000, heard: 4999).nextFrame == 5000)
    }

    @Test("an item without rendered frames has not begun, so it is not dry (R-IMM-02)")
    func notBegun() {
        #expect(watch(written: 1000, heard: 1000).reached == nil)
        // Frames of the preceding item are still heard.
        #expect(watch(written: 600, heard: 600).reached == nil)
    }
}
