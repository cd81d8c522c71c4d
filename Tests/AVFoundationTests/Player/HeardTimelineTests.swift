import CoreMedia
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

/// Checks the heard position, its motion and its marks on one timeline. The output frames 0–999 play item 1 from media frame 0 on. Output frame 1000
/// and later ones play item 2 from media frame 500 on, at rate 2.
@Suite("HeardTimeline") struct HeardTimelineTests {
    private let first = ItemID(rawValue: 1)
    private let second = ItemID(rawValue: 2)
    private let now = HostTime(seconds: 1_000)

    /// Returns a snapshot of the timeline while output frame `heard` is heard. The device runs unless `isRunning` is false.
    private func timeline(
        of item: ItemID, heard: Int64, written: Int64 = 2_000, landedSeek: UInt64 = 0, isRunning: Bool = true,
        _ change: (inout HeardPosition.Rule) -> Void = { _ in }
    ) -> HeardTimeline {
        var timeline = Timeline(
            segments: [
                Timeline.Segment(start: 0, item: first, mediaStart: 0, rate: 1, end: 1_000, reachesEndOfItem: true),
                Timeline.Segment(start: 1_000, item: second, mediaStart: 500, rate: 2),
            ],
            written: written, sampleRate: 1_000)
        timeline.landedSeek = landedSeek
        let sink = ScriptedSink()
        sink.playhead = Playhead(frame: heard, hostTime: now, isRunning: isRunning)
        let clock = HeardClock(clock: VirtualClock())
        clock.publish(timeline)
        clock.publish(sink: sink)
        var rule = HeardPosition.Rule(item: item, rest: ms(7))
        change(&rule)
        return HeardTimeline(clock.snapshot, of: item, by: rule, at: now)
    }
    private enum Position: Equatable {
        case live(CMTime)
        case resting(CMTime)
        case unchanged
    }
    private func position(_ timeline: HeardTimeline) -> Position {
        switch timeline.position {
        case .live(let live): .live(live.instant.time)
        case .resting(let time): .resting(time)
        case .unchanged: .unchanged
        }
    }

    @Test("the position is live while audio of the item is heard, rests before it, and stays at the end after it (R-ITEM-07)")
    func positions() {
        #expect(position(timeline(of: first, heard: 250)) == .live(ms(250)))
        #expect(position(timeline(of: second, heard: 250)) == .resting(ms(7)))
        #expect(position(timeline(of: first, heard: 1_200)) == .resting(ms(1_000)))
        #expect(position(timeline(of: second, heard: 1_200)) == .live(ms(900)))
    }

    @Test("the position rests while audio of a former position is heard, and if it is held")
    func floor() {
        #expect(position(timeline(of: first, heard: 250) { $0.floor = 300 }) == .resting(ms(7)))
        #expect(position(timeline(of: first, heard: 350) { $0.floor = 300 }) == .live(ms(350)))
        #expect(position(timeline(of: first, heard: 350) { $0.isFixed = true }) == .resting(ms(7)))
    }

    @Test("a landing that the player has not processed leaves the position unchanged (R-SEEK-11)")
    func landing() {
        #expect(position(timeline(of: first, heard: 250, landedSeek: 3) { $0.landedSeek = 2 }) == .unchanged)
        #expect(position(timeline(of: first, heard: 250, landedSeek: 3) { $0.landedSeek = 3 }) == .live(ms(250)))
    }

    @Test("the motion starts at the heard frame, or at the first frame of the item, at the host time at which that is heard")
    func motion() throws {
        let moving = try #require(timeline(of: second, heard: 1_200).motion)
        #expect(moving.time == ms(900) && moving.hostTime == now && moving.rate == 2)
        let ahead = try #require(timeline(of: second, heard: 900).motion)
        #expect(ahead.time == ms(500) && ahead.hostTime == now + 0.1)
        #expect(timeline(of: second, heard: 1_200, isRunning: false).motion?.rate == nil)
        #expect(timeline(of: second, heard: 2_000).motion?.rate == nil)
        #expect(timeline(of: first, heard: 1_200).motion?.rate == nil)
    }

    @Test("unheard audio is that after the heard frame and after the floor")
    func unheard() {
        #expect(timeline(of: first, heard: 999).hasUnheard)
        #expect(!timeline(of: first, heard: 1_000).hasUnheard)
        #expect(!timeline(of: first, heard: 250) { $0.floor = 1_000 }.hasUnheard)
        #expect(timeline(of: second, heard: 1_999).hasUnheard)
        #expect(!timeline(of: second, heard: 2_000).hasUnheard)
    }

    @Test("the end of the rendered audio is open only if no segment ends there")
    func openEnd() {
        #expect(timeline(of: second, heard: 0).isOpenEnd(2_000))
        #expect(!timeline(of: second, heard: 0).isOpenEnd(1_500))
        #expect(!timeline(of: first, heard: 0, written: 1_000).isOpenEnd(1_000))
    }

    @Test("a frame of the medium is forecast only if it will be heard in the item's audio")
    func forecast() throws {
        let time = try #require(timeline(of: second, heard: 1_200).hostTime(ofMedia: 1_100))
        #expect(abs(time - now - 0.1) < 1e-6)
        #expect(timeline(of: second, heard: 1_200).hostTime(ofMedia: 800) == nil)
        #expect(timeline(of: first, heard: 200).hostTime(ofMedia: 1_001) == nil)
    }
}
