import PlaybackTesting
import Testing

@testable import PlaybackEngine

@Suite("Updates of the timeline")
struct TimelineWriterTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)

    private func writer() -> TimelineWriter { TimelineWriter(clock: HeardClock(clock: VirtualClock())) }

    @Test("a segment ends at the beginning of the next one; other threads see neither before they are published")
    func joins() {
        let timeline = writer()
        timeline.begin(a, media: 0, rate: 1, at: 0)
        timeline.begin(b, media: 100, rate: 2, at: 500)
        #expect(timeline.segments.map(\.end) == [500, nil])
        #expect(timeline.clock.timeline.segments.isEmpty)
        timeline.publish(written: 600, sampleRate: 48_000)
        #expect(timeline.clock.timeline == Timeline(segments: timeline.segments, written: 600, sampleRate: 48_000))
    }

    @Test("only the newest segment can be ended, and only for its own item")
    func ends() {
        let timeline = writer()
        timeline.begin(a, media: 0, rate: 1, at: 0)
        timeline.end(b, at: 10, reachesEndOfItem: true)
        #expect(timeline.segments.last?.end == nil)
        timeline.end(a, at: 300, reachesEndOfItem: true)
        #expect(timeline.segments.last?.end == 300 && timeline.segments.last?.reachesEndOfItem == true)
    }

    @Test("a rewind cuts the segment of its frame, and discards those that begin later")
    func rewinds() {
        let timeline = writer()
        timeline.begin(a, media: 0, rate: 1, at: 0)
        timeline.end(a, at: 300, reachesEndOfItem: true)
        timeline.begin(b, media: 0, rate: 1, at: 300)
        #expect(timeline.rewind(to: 200)?.item == a)
        #expect(timeline.segments == [Timeline.Segment(start: 0, item: a, mediaStart: 0, rate: 1, end: 200)])
    }

    @Test("a rewind into the lead-in of a jump returns the segment that the jump begins")
    func rewindsIntoLeadIn() {
        let timeline = writer()
        timeline.begin(a, media: 0, rate: 1, at: 0)
        timeline.end(a, at: 100, reachesEndOfItem: false)
        timeline.begin(a, media: 5_000, rate: 1, at: 320)
        #expect(timeline.rewind(to: 150)?.mediaStart == 5_000)
        #expect(timeline.segments.map(\.start) == [0])
    }

    @Test("the position rests while audio is read, unless a segment remains")
    func rests() {
        let timeline = writer()
        timeline.rest(on: a, media: 70, rate: 2, at: 900)
        #expect(timeline.segments == [Timeline.Segment(start: 900, item: a, mediaStart: 70, rate: 2, end: 900)])
        timeline.rest(on: b, media: 1, rate: 1, at: 901)
        #expect(timeline.segments.map(\.item) == [a])
        #expect(timeline.rewind(to: 890) != nil, "a frame before all segments belongs to the first")
    }
}
