import Dispatch
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

@Suite("Rates, statuses and starts") @MainActor struct TransportRuleTests {
    let rig = ScriptedRig()
    let log = Recorder()

    func ready() -> AVPlayer { rig.readyPlayer() }
    func time(_ seconds: Double) -> CMTime { CMTime(value: (rig.clock.now + seconds).nanoseconds, timescale: 1_000_000_000) }
    /// Simulates an underrun of the engine: the timeline has no rendered frames after the frame that is heard now, and the buffer is empty.
    func underrun(_ item: AVPlayerItem) {
        rig.engine.cutTimeline()
        rig.engine.emit(.bufferChanged(item.id, BufferLevel(seconds: 0, isEmpty: true, isFull: false, isLikelyToKeepUp: false)))
    }

    @Test("rate is the requested rate, also while waiting; it is 0 at first (R-RATE-01)")
    func rate() {
        let player = rig.player()
        #expect(player.rate == 0 && player.timeControlStatus == .paused)
        player.rate = 1.5
        #expect(player.rate == 1.5 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        player.replaceCurrentItem(with: rig.item("a"))
        rig.advance(1)
        #expect(player.rate == 1.5 && player.timeControlStatus == .playing)
    }

    @Test("the statuses have the raw values paused 0, waiting 1, playing 2, and are observable (R-TCS-01)")
    func statuses() {
        #expect([AVPlayer.TimeControlStatus.paused, .waitingToPlayAtSpecifiedRate, .playing].map(\.rawValue) == [0, 1, 2])
        let player = rig.player()
        #expect(player.timeControlStatus == .paused)
        log.observe(player, "status", \.timeControlStatus.rawValue)
        player.play()
        player.replaceCurrentItem(with: rig.item("a"))
        rig.run()
        player.pause()
        #expect(log.log == ["status=1", "status=1", "status=2", "status=0"])
    }

    @Test(
        "the player waits without data or item (R-TCS-03); the reason is first evaluatingBufferingRate, then toMinimizeStalls (R-WAIT-02, R-WAIT-05)"
    )
    func waiting() {
        var medium = ScriptedMedium(seconds: 10)
        medium.isHeld = true
        rig.add("a", medium)
        let item = rig.item(of: "a")
        let player = rig.player()
        log.observe(player, "reason", \.reasonForWaitingToPlay?.rawValue)
        player.play()
        player.replaceCurrentItem(with: item)
        rig.engine.isAutomatic = false
        rig.engine.emit(.opened(item.id, medium.info))
        rig.run()
        #expect(item.status == .readyToPlay && player.reasonForWaitingToPlay == .evaluatingBufferingRate)
        rig.engine.emit(.bufferChanged(item.id, BufferLevel(seconds: 0.1, isEmpty: false, isFull: false, isLikelyToKeepUp: false)))
        rig.run()
        #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
        rig.engine.emit(.bufferChanged(item.id, BufferLevel(seconds: 1, isEmpty: false, isFull: false, isLikelyToKeepUp: true)))
        rig.run()
        #expect(player.timeControlStatus == .playing && player.reasonForWaitingToPlay == nil)
        #expect(
            log.log == [
                "reason=Optional(\"AVPlayerWaitingWithNoItemToPlayReason\")",
                "reason=Optional(\"AVPlayerWaitingWhileEvaluatingBufferingRateReason\")",
                "reason=Optional(\"AVPlayerWaitingToMinimizeStallsReason\")", "reason=nil",
            ], "R-WAIT-05: the strings are the C names")
    }

    @Test("the player sets rate 0 at the end, an interruption, a stall without automatic waiting and a failure (R-RATE-06)")
    func itselfToZero() {
        let causes: [(AVPlayer, AVPlayerItem) -> Void] = [
            { [rig] _, _ in rig.advance(11) },
            { [rig] _, _ in rig.session.handle(.interruptionBegan(.default)) },
            { [rig] player, item in
                player.automaticallyWaitsToMinimizeStalling = false
                self.underrun(item)
                rig.advance(1)
            },
            { player, _ in player.rate = 99 },
            { [rig] player, item in
                rig.engine.setTimeline(Timeline(sampleRate: 1_000))
                rig.engine.emit(.failed(item.id, PlaybackError(.corruptMedia, "It is broken.")))
                rig.run()
            },
        ]
        for cause in causes {
            let item = rig.item("a")
            let player = rig.player(item)
            player.play()
            rig.advance(1)
            #expect(player.rate == 1)
            cause(player, item)
            #expect(player.rate == 0 && player.timeControlStatus == .paused)
        }
    }

    @Test("automaticallyWaitsToMinimizeStalling is true by default (R-STALL-01)")
    func waitsAtFirst() { #expect(rig.player().automaticallyWaitsToMinimizeStalling) }

    @Test("currentItem is observable with old and new values (R-CUR-01)")
    func currentItem() {
        let (a, b) = (rig.item("a"), rig.item("b"))
        let player = rig.player(a)
        let token = player.observe(\.currentItem, options: [.old, .new]) { [log] _, change in
            log.add("\(change.oldValue == a ? "a" : change.oldValue == b ? "b" : "-") \(change.newValue == b ? "b" : "-")")
        }
        player.replaceCurrentItem(with: b)
        player.replaceCurrentItem(with: b)
        player.replaceCurrentItem(with: nil)
        #expect(log.log == ["a b", "b b", "b -"])
        token.invalidate()
    }

    @Test("rateDidChange has no participant, and at most a reason (R-RDC-03)")
    func participant() {
        let player = ready()
        let keys = Mutex<[String]>([])
        let token = NotificationCenter.default.addObserver(forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil) { notification in
            keys.withLock { $0 += (notification.userInfo ?? [:]).keys.compactMap { $0 as? String } }
        }
        player.play()
        rig.advance(11)
        NotificationCenter.default.removeObserver(token)
        #expect(keys.withLock { $0 } == [AVPlayer.rateDidChangeReasonKey], "of play; the end has no reason")
    }

    @Test("an item's notifications are posted on the main queue, in the turn of their event (R-NOTE-01, J-10)")
    func mainQueue() {
        let item = rig.item("a", seconds: 1)
        let player = rig.player(item)
        let isMain = Mutex<[Bool]>([])
        let token = NotificationCenter.default.addObserver(forName: AVPlayerItem.didPlayToEndTimeNotification, object: item, queue: nil) { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            isMain.withLock { $0.append(true) }
        }
        player.play()
        rig.advance(2)
        NotificationCenter.default.removeObserver(token)
        #expect(isMain.withLock { $0 } == [true])
    }

    // MARK: Preroll

    @Test("preroll completes with true after everything is ready, and the engine renders at its rate (R-PREROLL-01)")
    func preroll() {
        var medium = ScriptedMedium(seconds: 10)
        medium.isHeld = true
        rig.add("a", medium)
        let player = rig.player(rig.item(of: "a"))
        player.preroll(atRate: 2) { [log] in log.add("preroll \($0)") }
        #expect(log.log == [])
        rig.engine.open("/a")
        rig.run()
        #expect(log.log == ["preroll true"])
        #expect(player.rate == 0 && player.currentTime() == .zero)
        #expect(rig.engine.values(of: \.rate).contains(2))
        player.rate = 2
        rig.advance(1)
        #expect(player.currentTime() == ms(2_000))
    }

    @Test(
        "preroll completes with false after a seek, another rate, cancellation, a newer preroll, or a failure (R-PREROLL-01)",
        arguments: ["seek", "rate", "cancel", "again", "item", "none", "failure"])
    func noPreroll(cause: String) {
        var medium = ScriptedMedium(seconds: 10)
        medium.isHeld = true
        rig.add("a", medium)
        let item = rig.item(of: "a")
        let player = rig.player(item)
        player.preroll(atRate: 1) { [log] in log.add("preroll \($0)") }
        switch cause {
        case "seek": player.seek(to: ms(1_000))
        case "rate": player.rate = 0.5
        case "cancel": player.cancelPendingPrerolls()
        case "again": player.preroll(atRate: 1)
        case "item": player.replaceCurrentItem(with: rig.item("b"))
        case "none": player.replaceCurrentItem(with: nil)
        default:
            rig.engine.emit(.failed(item.id, PlaybackError(.corruptMedia, "It is broken.")))
            rig.run()
        }
        #expect(log.log == ["preroll false"])
        player.cancelPendingPrerolls()
        #expect(log.log == ["preroll false"], "once")
    }

    @Test("preroll fails at once for an unsupported rate; play at the prerolled rate does not interrupt it (R-PREROLL-01)")
    func impossiblePreroll() {
        let player = ready()
        for rate: Float in [99, 0, .nan, -1] { player.preroll(atRate: rate) { [log] in log.add("\($0)") } }
        #expect(log.log == ["false", "false", "false", "false"])
        log.clear()
        rig.engine.holdsSeeks = true
        var medium = ScriptedMedium(seconds: 10)
        medium.isHeld = true
        rig.add("b", medium)
        player.replaceCurrentItem(with: rig.item(of: "b"))
        player.preroll(atRate: 1) { [log] in log.add("\($0)") }
        player.play()
        #expect(log.log == [])
        rig.engine.open("/b")
        rig.run()
        #expect(log.log == ["true"] && player.timeControlStatus == .playing)
    }

    // MARK: Host clock

    @Test("a start in the future waits at its time, and playback reaches that time at the given host time (R-SYNC-02)")
    func future() {
        let player = ready()
        player.automaticallyWaitsToMinimizeStalling = false
        player.setRate(1, time: ms(3_000), atHostTime: time(2))
        #expect(player.rate == 1)
        rig.advance(1.5)
        #expect(player.currentTime() == ms(3_000) && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        rig.advance(0.5)
        #expect(player.currentTime() == ms(3_000))
        rig.advance(1)
        #expect(player.currentTime() == ms(4_000) && player.timeControlStatus == .playing)
    }

    @Test("a start in the past is at the position as if it had been playing since then (R-SYNC-02)", arguments: [1, 2] as [Float])
    func past(rate: Float) {
        let player = ready()
        player.automaticallyWaitsToMinimizeStalling = false
        player.setRate(rate, time: ms(3_000), atHostTime: time(-1))
        rig.run()
        #expect(player.currentTime() == ms(3_000 + Int64(rate) * 1_000))
        rig.advance(1)
        #expect(player.currentTime() == ms(3_000 + Int64(rate) * 2_000))
    }

    @Test("without a time a start uses the current one; without a host time rate and time change together (R-SYNC-02)")
    func withoutTimes() {
        let player = ready()
        player.automaticallyWaitsToMinimizeStalling = false
        player.setRate(1, time: ms(2_000), atHostTime: .invalid)
        rig.advance(1)
        #expect(player.currentTime() == ms(3_000))
        player.setRate(2, time: .invalid, atHostTime: .invalid)
        rig.advance(1)
        #expect(player.currentTime() == ms(5_000))
        player.setRate(1, time: .invalid, atHostTime: time(1))
        rig.advance(1)
        #expect(player.currentTime() == ms(5_000), "it waits")
        rig.advance(1)
        #expect(player.currentTime() == ms(6_000))
        player.setRate(0, time: ms(1_000), atHostTime: time(1))
        rig.advance(2)
        #expect(player.currentTime() == ms(1_000) && player.rate == 0)
    }

    @Test("a later command replaces a pending start (R-SYNC-02)", arguments: ["pause", "play", "seek", "item"])
    func superseded(by other: String) {
        let player = ready()
        player.automaticallyWaitsToMinimizeStalling = false
        player.setRate(1, time: ms(3_000), atHostTime: time(2))
        rig.advance(1)
        switch other {
        case "pause": player.pause()
        case "play": player.play()
        case "seek": player.seek(to: ms(5_000), toleranceBefore: .zero, toleranceAfter: .zero)
        default: player.replaceCurrentItem(with: rig.item("b"))
        }
        rig.advance(0.5)
        switch other {
        case "pause": #expect(player.currentTime() == ms(3_000) && player.rate == 0)
        case "play": #expect(player.currentTime() == ms(3_500))
        case "seek": #expect(player.currentTime() == ms(5_500) && player.timeControlStatus == .playing)
        default: #expect(player.currentTime() == ms(500))
        }
        rig.advance(2)
        if other == "pause" { #expect(player.currentTime() == ms(3_000)) }
        #expect(rig.scheduler.scheduledCount == (other == "pause" ? 0 : 1))
    }

    @Test("if the device starts late, the position is corrected (R-SYNC-02)")
    func lateDevice() {
        let player = ready()
        player.automaticallyWaitsToMinimizeStalling = false
        rig.engine.startLatency = 0.3
        player.setRate(1, time: ms(2_000), atHostTime: time(1))
        rig.advance(2)
        #expect(player.currentTime() == ms(3_000), "it was corrected by the latency of the device")
        player.pause()
        player.setRate(1, time: ms(5_000), atHostTime: time(1))
        rig.advance(0.5)
        let seeks = rig.engine.commands.count { if case .seek = $0 { true } else { false } }
        rig.advance(1.5)
        #expect(player.currentTime() == ms(6_000))
        #expect(
            rig.engine.commands.count { if case .seek = $0 { true } else { false } } == seeks, "the second start takes the latency into account"
        )
    }

    @Test("if the device reports a higher latency later, the position is corrected again (R-SYNC-02)")
    func secondLook() {
        let player = ready()
        player.automaticallyWaitsToMinimizeStalling = false
        player.setRate(1, time: ms(2_000), atHostTime: time(1))
        rig.advance(1.1)
        let sink = rig.engine.sink
        sink.playhead = Playhead(frame: sink.playhead.frame, hostTime: sink.playhead.hostTime + 0.05, isRunning: true)
        rig.advance(0.5)
        #expect(player.currentTime() == ms(2_600))
        let commands = rig.engine.commands.count
        rig.advance(2)
        #expect(rig.engine.commands.count == commands && player.currentTime() == ms(4_600))
    }
}
