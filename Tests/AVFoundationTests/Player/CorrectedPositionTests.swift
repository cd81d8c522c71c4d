import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Estimated positions that become exact: the player (R-SEEK-24)") @MainActor struct CorrectedPositionTests {
    let rig = ScriptedRig()
    let times = Times()

    private func playing() -> (AVPlayer, AVPlayerItem) {
        let item = rig.item("a", seconds: 60), player = rig.player(item)
        player.play()
        rig.run()
        rig.engine.emit(.positionEstimated(item.engineID, true))
        rig.run()
        return (player, item)
    }

    /// Corrects the positions of the item by `frames` milliseconds, as the engine does.
    private func correct(_ item: AVPlayerItem, by frames: Int64, isExact: Bool = true) {
        var timeline = rig.engine.timeline
        let heard = rig.engine.clock.now().frame
        timeline.corrections += 1
        if let index = timeline.segments.lastIndex(where: { $0.item == item.engineID && $0.start <= heard }) {
            var rest = timeline.segments[index]
            (rest.mediaStart, rest.start) = (rest.mediaFrame(at: heard) + Double(frames), heard)
            (rest.isJoined, rest.correction) = (true, timeline.corrections)
            timeline.segments[index].end = heard
            timeline.segments.insert(rest, at: index + 1)
        }
        rig.engine.setTimeline(timeline)
        rig.engine.emit(.timelineChanged)
        rig.engine.emit(.positionsCorrected(item.engineID, by: ms(frames), isExact: isExact, isHeard: true))
        rig.run()
    }

    @Test(
        "the position jumps to the exact number, `timeJumped` is posted once, and the position is no longer estimated",
        arguments: [3000, -1000, 20, -20])
    func jump(_ frames: Int64) {
        let (player, item) = playing(), log = Recorder()
        rig.advance(2)
        log.observeEnds(item)
        log.observe(item, "estimated", \.isPositionEstimated)
        correct(item, by: frames)
        #expect(log.log == ["estimated=false", "timeJumped"])
        #expect(player.currentTime() == ms(2000 + frames))
        rig.advance(1)
        #expect(player.currentTime() == ms(3000 + frames))
    }

    @Test("periodic calls continue in the grid of the exact numbers, without a call for skipped ones")
    func ticks() {
        let (player, item) = playing()
        rig.advance(0.1)
        let token = player.addPeriodicTimeObserver(forInterval: ms(500), queue: nil) { [times] in times.add($0) }
        rig.advance(1.1)
        correct(item, by: 3000)
        rig.advance(0.4)
        correct(item, by: -3000)
        rig.advance(0.5)
        #expect(times.all == [500, 1000, 4500, 2000])
        _ = token
    }

    @Test("boundaries between the former and the exact number do not fire, and later ones do")
    func boundaries() {
        let (player, item) = playing()
        let token = player.addBoundaryTimeObserver(forTimes: [ms(1000), ms(2000), ms(5000)], queue: nil) { [times] in
            MainActor.assumeIsolated { times.add(player.currentTime()) }
        }
        rig.advance(1.2)
        correct(item, by: 3000)
        rig.advance(0.5)
        #expect(times.all == [1000])
        rig.advance(0.5)
        #expect(times.all == [1000, 5000])
        correct(item, by: -3500)
        rig.advance(0.1)
        #expect(times.all == [1000, 5000])
        rig.advance(0.5)
        #expect(times.all == [1000, 5000, 2000])
        _ = token
    }

    @Test("a loop that was set at estimated positions moves with its audio, and one that was set before them does not")
    func loop() {
        let (player, item) = playing()
        func range(_ start: Int64, _ end: Int64) -> CMTimeRange { CMTimeRange(start: ms(start), end: ms(end)) }
        item.loopTimeRange = range(10_000, 12_000)
        rig.run()
        correct(item, by: 3000)
        #expect(item.loopTimeRange == range(13_000, 15_000))
        rig.engine.emit(.positionEstimated(item.engineID, true))
        rig.run()
        correct(item, by: 1000)
        #expect(item.loopTimeRange == range(13_000, 15_000))
        _ = player
    }

    @Test("a correction by a better estimate moves the position and the loop, and the position stays estimated (R-SEEK-25)")
    func betterEstimate() {
        let (player, item) = playing(), log = Recorder()
        item.loopTimeRange = CMTimeRange(start: ms(10_000), end: ms(12_000))
        rig.advance(2)
        log.observeEnds(item)
        log.observe(item, "estimated", \.isPositionEstimated)
        for _ in 0..<2 { correct(item, by: 1000, isExact: false) }
        #expect(log.log == ["timeJumped", "timeJumped"])
        #expect(player.currentTime() == ms(4000) && item.isPositionEstimated)
        #expect(item.loopTimeRange == CMTimeRange(start: ms(12_000), end: ms(14_000)))
        correct(item, by: 500)
        #expect(!item.isPositionEstimated)
        #expect(item.loopTimeRange == CMTimeRange(start: ms(12_500), end: ms(14_500)))
    }

    @Test("the correction of a pending seek's positions is no jump of the heard position")
    func pendingSeek() {
        let (player, item) = playing(), log = Recorder()
        rig.advance(1)
        log.observeEnds(item)
        rig.engine.emit(.positionsCorrected(item.engineID, by: ms(3000), isExact: true, isHeard: false))
        rig.run()
        #expect(log.log == [] && player.currentTime() == ms(1000))
    }
}
