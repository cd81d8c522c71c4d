import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVPlayer") @MainActor struct AVPlayerTests {
    let rig = ScriptedRig()

    @Test("play loads the item, waits and plays, and currentTime is the heard position (R-RATE-02, R-RATE-04)")
    func playing() {
        let player = rig.player(rig.item("a"))
        player.play()
        #expect(player.rate == 1)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate)
        rig.run()
        #expect(player.timeControlStatus == .playing)
        #expect(player.reasonForWaitingToPlay == nil)
        rig.advance(2.5)
        #expect(player.currentTime() == ms(2_500))
        player.pause()
        rig.advance(5)
        #expect(player.currentTime() == ms(2_500))
        #expect(rig.scheduler.scheduledCount == 0, "nothing is scheduled while paused")
    }

    @Test(
        "when the end is heard, rate, status, rateDidChange without a reason and didPlayToEnd follow in one turn (R-EOI-05, R-EOI-07, section K 12)")
    func end() {
        let item = rig.item("a", seconds: 2)
        let player = rig.player(item)
        let log = Recorder()
        player.play()
        rig.run()
        log.observeTransport(player)
        log.observeEnds(item)
        rig.advance(1.999)
        #expect(log.log == [])
        rig.advance(0.001_001)
        #expect(log.log == ["rate=0.0", "status=paused", "rateDidChange(no reason)", "didPlayToEnd"])
        #expect(player.currentTime() == ms(2_000))
        #expect(player.currentItem === item)
    }

    @Test("play at the end has no effect; after a seek the item plays and ends again (R-EOI-03, R-EOI-04, R-SEEK-16)")
    func playAtEnd() {
        let item = rig.item("a", seconds: 2)
        let player = rig.player(item)
        let log = Recorder()
        player.play()
        rig.advance(3)
        log.observeTransport(player)
        log.observeEnds(item)
        player.play()
        #expect(log.log == ["rate=0.0", "status=paused"], "the request is notified (R-KVO-07)")
        log.clear()
        player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        #expect(player.rate == 0)
        #expect(player.currentTime() == .zero)
        player.play()
        rig.advance(3)
        #expect(
            log.log == [
                "timeJumped", "rate=1.0", "status=playing", "rateDidChange(SetRateCalled)", "rate=0.0", "status=paused", "rateDidChange(no reason)",
                "didPlayToEnd",
            ])
    }

    @Test("with actionAtItemEnd none, time advances in silence after the end; set to pause, the player stops at once (R-EOI-01)")
    func endWithNone() {
        let item = rig.item("a", seconds: 2)
        let player = rig.player(item)
        player.actionAtItemEnd = .none
        player.play()
        rig.advance(3)
        #expect(player.timeControlStatus == .playing)
        #expect(player.currentTime().seconds > 2.9 && player.currentTime().seconds <= 3)
        player.actionAtItemEnd = .pause
        #expect(player.timeControlStatus == .paused)
        #expect(player.rate == 0)
    }

    @Test("a stall gives playbackStalled and waiting, the rate stays; playback resumes after enough data arrived (R-TCS-04, R-NOTE-04, section K 1)")
    func stall() {
        let item = rig.item("a")
        let player = rig.player(item)
        player.play()
        rig.advance(1)
        let log = Recorder()
        log.observeTransport(player)
        log.observeEnds(item)
        let engine = rig.engine
        // Only one more second of audio is rendered.
        engine.cutTimeline(after: 1_000)
        let id = engine.currentItem ?? ItemID(rawValue: 0)
        engine.emit(.bufferChanged(id, BufferLevel(seconds: 0.5, isEmpty: false, isFull: false, isLikelyToKeepUp: false)))
        rig.advance(0.9)
        #expect(log.log == [])
        rig.advance(0.2)
        #expect(log.log == ["status=waitingToPlayAtSpecifiedRate", "stalled"])
        #expect(player.rate == 1)
        #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
        engine.emit(.bufferChanged(id, BufferLevel(seconds: 2, isEmpty: false, isFull: false, isLikelyToKeepUp: true)))
        rig.run()
        #expect(player.timeControlStatus == .playing)
    }

    @Test("play without an item waits, and an item set later starts automatically (R-RATE-07, R-REPL-02, section K 10)")
    func playBeforeItem() {
        let player = rig.player()
        player.play()
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        #expect(player.status == .unknown)
        player.replaceCurrentItem(with: rig.item("a"))
        rig.advance(1)
        #expect(player.timeControlStatus == .playing)
        #expect(player.currentTime() == ms(1_000))
        player.replaceCurrentItem(with: nil)
        #expect(player.rate == 1)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        #expect(player.currentTime() == .zero)
    }

    @Test("play uses defaultRate, and setting defaultRate does not start playback (R-RATE-04, R-RATE-05, section K 9)")
    func defaultRate() {
        let player = rig.player(rig.item("a"))
        rig.run()
        player.defaultRate = 2
        #expect(player.rate == 0)
        player.rate = 0.5
        player.pause()
        player.play()
        #expect(player.rate == 2)
        rig.advance(1)
        #expect(player.currentTime() == ms(2_000))
    }

    @Test("a rate change while playing takes effect at once and is posted once (R-RATE-09, R-RATE-10, R-RDC-01, R-RDC-02)")
    func rateChange() {
        let player = rig.player(rig.item("a"))
        player.play()
        rig.advance(1)
        let log = Recorder()
        log.observeTransport(player)
        player.rate = 2
        player.rate = 2
        rig.advance(1)
        #expect(log.log == ["rate=2.0", "rateDidChange(SetRateCalled)", "status=playing", "rate=2.0", "status=playing"])
        #expect(player.currentTime() == ms(3_000))
    }

    @Test("a rate that cannot be played sets the rate to 0 with setRateFailed (R-RATE-08)")
    func reverse() {
        let player = rig.player(rig.item("a"))
        player.play()
        rig.advance(1)
        let log = Recorder()
        log.observeTransport(player)
        player.rate = -1
        #expect(log.log == ["rate=0.0", "status=paused", "rateDidChange(SetRateFailed)"])
        player.rate = .nan
        #expect(player.rate == 0)
    }

    @Test("volume is clamped, isMuted does not change it, and both are sent to the engine (R-VOL-01, R-VOL-02)")
    func volume() {
        let player = rig.player(rig.item("a"))
        player.volume = 3
        #expect(player.volume == 1)
        player.volume = -1
        player.isMuted = true
        #expect(player.volume == 0)
        player.volume = 0.5
        let sent = rig.engine.values { "\($0.volume) \($0.isMuted)" }
        #expect(sent == ["0.0 false", "0.0 true", "0.5 true"])
    }

    @Test("loudnessNormalization is off by default, observable, and sent to a running engine and to one that starts later")
    func loudness() {
        let player = rig.player(rig.item("a"))
        #expect(player.loudnessNormalization == .off)
        var seen: [LoudnessMode] = []
        let observation = player.observeOnMain(\.loudnessNormalization) { player, _ in seen.append(player.loudnessNormalization) }
        player.loudnessNormalization = .track
        player.loudnessNormalization = .track
        player.loudnessNormalization = .album
        observation.invalidate()
        #expect(seen == [.track, .album])
        func sent() -> [LoudnessMode] { rig.engine.values(of: \.loudness) }
        #expect(sent() == [.track, .album])
        let later = rig.player(nil)
        later.loudnessNormalization = .track
        later.replaceCurrentItem(with: rig.item("b"))
        #expect(sent().last == .track)
    }

    @Test("outputRates are automatic by default, observable, and sent to the engine (R-LNX-47)")
    func outputRates() {
        let player = rig.player(rig.item("a"))
        #expect(player.outputRates.standard == .automatic)
        var seen: [OutputRates] = []
        let observation = player.observeOnMain(\.outputRates) { player, _ in seen.append(player.outputRates) }
        player.outputRates.standard = .device
        player.outputRates.set(.item, of: "dac")
        player.outputRates.set(.item, of: "dac")
        observation.invalidate()
        #expect(seen.count == 2 && seen.last == OutputRates(standard: .device, byDevice: ["dac": .item]))
        #expect(rig.engine.values(of: \.outputRates) == seen)
    }

    @Test("replaceCurrentItem completes pending seeks with false before currentItem changes, and keeps the rate (R-REPL-03, R-REPL-02, section K 13)")
    func replacing() {
        let first = rig.item("a")
        let second = rig.item("b")
        let player = rig.player(first)
        player.play()
        rig.advance(1)
        rig.engine.holdsSeeks = true
        let log = Recorder()
        player.seek(to: ms(5_000)) { log.add("seek \($0)") }
        log.observe(player, "item", \.currentItem?.asset.self)
        log.observe(player, "rate", \.rate)
        player.replaceCurrentItem(with: second)
        #expect(log.log.first == "seek false")
        #expect(log.log.count == 2)
        rig.advance(1)
        #expect(player.rate == 1)
        #expect(player.currentTime() == ms(1_000))
        #expect(first.canBeAssociated)
    }

    @Test("after a seek before readyToPlay, playback begins at its target and nothing of the start is heard (R-SEEK-06, R-ITEM-03)")
    func seekBeforeReady() {
        rig.add("slow", ScriptedMedium(seconds: 10, isHeld: true))
        let player = rig.player(rig.item(of: "slow"))
        player.play()
        let log = Recorder()
        player.seek(to: ms(3_000), toleranceBefore: .zero, toleranceAfter: .zero) { log.add("first \($0)") }
        player.seek(to: ms(4_000), toleranceBefore: .zero, toleranceAfter: .zero) { log.add("second \($0)") }
        rig.run()
        #expect(log.log == ["first false"])
        rig.engine.holdsSeeks = true
        rig.engine.open("/slow")
        rig.run()
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        rig.engine.completeSeek()
        rig.run()
        #expect(log.log == ["first false", "second true"])
        #expect(player.timeControlStatus == .playing)
        rig.advance(1)
        #expect(player.currentTime() == ms(5_000))
    }

    @Test("a start time set before association is the beginning of the item (R-ITEM-03, R-ITEM-07)")
    func startTime() {
        let item = rig.item("a")
        let log = Recorder()
        item.seek(to: ms(4_000), toleranceBefore: .zero, toleranceAfter: .zero) { log.add("\($0)") }
        #expect(item.currentTime() == ms(4_000))
        let player = rig.player(item)
        #expect(player.currentTime() == ms(4_000))
        rig.run()
        #expect(log.log == ["true"])
        player.play()
        rig.advance(1)
        #expect(player.currentTime() == ms(5_000))
    }

    @Test("a start time beyond the end is refused, and the item begins at its start (R-SEEK-08)")
    func startBeyondEnd() {
        let item = rig.item("a")
        let log = Recorder()
        item.seek(to: ms(40_000), toleranceBefore: .zero, toleranceAfter: .zero) { log.add("\($0)") }
        let player = rig.player(item)
        player.play()
        rig.run()
        #expect(log.log == ["false"])
        #expect(player.timeControlStatus == .playing)
        rig.advance(1)
        #expect(player.currentTime() == ms(1_000))
    }

    @Test("forwardPlaybackEndTime is an effective end (R-END-01, R-END-02)")
    func forwardEnd() {
        let item = rig.item("a")
        item.forwardPlaybackEndTime = ms(1_500)
        let log = Recorder()
        log.observeEnds(item)
        let player = rig.player(item)
        player.play()
        rig.advance(2)
        #expect(log.log == ["didPlayToEnd"])
        #expect(player.currentTime() == ms(1_500))
        #expect(item.duration == ms(10_000))
    }

    @Test(
        "if the data ends early, the estimated duration is corrected before didPlayToEnd, and exact unless the position is estimated (R-EOI-08)",
        arguments: [false, true])
    func correctedDuration(_ isEstimated: Bool) {
        rig.add("vbr", ScriptedMedium(seconds: 2, isEstimated: true))
        let item = rig.item(of: "vbr")
        let player = rig.player(item)
        player.play()
        rig.advance(1)
        let engine = rig.engine
        var timeline = engine.timeline
        timeline.written -= 500
        timeline.segments[timeline.segments.count - 1].end = timeline.written
        engine.setTimeline(timeline)
        engine.emit(.timelineChanged)
        engine.emit(.positionEstimated(item.id, isEstimated))
        let log = Recorder()
        log.observe(item, "duration", \.duration.seconds)
        log.observeEnds(item)
        rig.advance(1)
        #expect(log.log == ["duration=1.5", "didPlayToEnd"])
        #expect(item.isDurationExact != isEstimated)
    }

    @Test("two players play at the same time (R-ASSET-03)")
    func twoPlayers() {
        let asset = rig.asset("a")
        let first = rig.player(AVPlayerItem(asset: asset))
        let second = rig.player(AVPlayerItem(asset: asset))
        first.play()
        rig.advance(1)
        second.play()
        rig.advance(1)
        #expect(first.currentTime() == ms(2_000))
        #expect(second.currentTime() == ms(1_000))
    }

    @Test("a player without references is deallocated, with its item")
    func dropped() {
        weak var player: AVPlayer?
        weak var item: AVPlayerItem?
        do {
            let newItem = rig.item("a")
            let newPlayer = rig.player(newItem)
            newPlayer.play()
            rig.advance(1)
            (player, item) = (newPlayer, newItem)
        }
        rig.advance(20)
        #expect(player == nil)
        #expect(item == nil)
    }

    @Test("shutDown stops the engine, and later calls have no effect")
    func shutDown() {
        let player = rig.player(rig.item("a"))
        player.play()
        rig.advance(1)
        let engine = rig.engine
        player.shutDown()
        player.shutDown()
        #expect(engine.isShutDown)
        player.play()
        player.replaceCurrentItem(with: nil)
        rig.advance(1)
        #expect(rig.scheduler.scheduledCount == 0)
    }
}
