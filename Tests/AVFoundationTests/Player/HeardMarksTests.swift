import PlaybackEngine
import Testing

@testable import AVFoundation

@Suite("HeardMarks")
struct HeardMarksTests {
    private let item = ItemID(rawValue: 1)

    /// Returns the marks of an item that begins at output frame 1000. The output frames before `written` are rendered, and those before `heard` are
    /// heard.
    private func marks(written: Int64, heard: Int64) -> HeardMarks {
        var timeline = Timeline()
        timeline.segments = [Timeline.Segment(start: 1000, item: item, mediaStart: 0, rate: 1)]
        timeline.written = written
        return HeardMarks(timeline, item: item, floor: 0, heard: heard, followers: [])
    }

    @Test("all rendered frames of an item have been heard: an underrun")
    func underrun() {
        #expect(marks(written: 5000, heard: 5000).reached == .underrun)
        #expect(marks(written: 5000, heard: 4999).reached == nil)
        #expect(marks(written: 5000, heard: 4999).nextFrame == 5000)
    }

    @Test("an item without rendered frames has not begun, so it has no underrun (R-IMM-02)")
    func notBegun() {
        #expect(marks(written: 1000, heard: 1000).reached == nil)
        // At output frame 600 the preceding item is still heard.
        #expect(marks(written: 600, heard: 600).reached == nil)
    }
}
