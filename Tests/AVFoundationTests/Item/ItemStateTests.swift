import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

extension AVPlayerItem {
    /// The position of the item, as a property. A program may define such a property to observe `currentTime()`.
    fileprivate var observedTime: CMTime { currentTime() }
}

@Suite("The state of AVPlayerItem") @MainActor struct ItemStateTests {
    let rig = ScriptedRig()

    func ready(_ name: String = "a", seconds: Double = 10) -> (AVPlayerItem, AVPlayer) {
        let item = rig.item(name, seconds: seconds)
        let player = rig.player(item)
        rig.run()
        return (item, player)
    }
    func remoteItem(_ medium: ScriptedMedium) -> AVPlayerItem {
        let url = "http://example.org/\(medium.info.isLive ? "live" : "file")"
        rig.host.setMedium(medium, at: url)
        return AVPlayerItem(asset: AVAsset(source: MediaSource(.remote(url: url)), environment: rig.environment))
    }
    func level(_ seconds: Double, _ isEmpty: Bool, _ isFull: Bool, _ isLikely: Bool) -> BufferLevel {
        BufferLevel(seconds: seconds, isEmpty: isEmpty, isFull: isFull, isLikelyToKeepUp: isLikely)
    }

    @Test("the statuses have the raw values unknown 0, readyToPlay 1, failed 2; the first one is unknown (R-STATUS-01)")
    func statuses() {
        #expect([AVPlayerItem.Status.unknown, .readyToPlay, .failed].map(\.rawValue) == [0, 1, 2])
        #expect(rig.item("a").status == .unknown)
    }

    @Test("before readyToPlay there are no tracks (R-ITEM-04) and no seekable ranges (R-BUF-02)")
    func emptyBeforeReady() {
        var medium = ScriptedMedium(seconds: 10)
        medium.isHeld = true
        rig.add("a", medium)
        let item = rig.item(of: "a")
        let player = rig.player(item)
        rig.run()
        #expect(item.tracks.isEmpty && item.seekableTimeRanges.isEmpty && item.timebase == nil)
        rig.engine.open("/a")
        rig.run()
        #expect(item.tracks.count == 1)
        #expect(item.seekableTimeRanges == [CMTimeRange(start: .zero, duration: ms(10_000))])
        _ = player
    }

    @Test("the duration is indefinite until it is known, ignores end times, may change, and stays indefinite for a live stream (R-ITEM-05)")
    func duration() {
        let item = rig.item("a")
        item.forwardPlaybackEndTime = ms(5_000)
        item.reversePlaybackEndTime = ms(1_000)
        #expect(item.duration.isIndefinite)
        let player = rig.player(item)
        rig.run()
        #expect(item.duration == ms(10_000))
        let log = Recorder()
        log.observe(item, "duration", \.duration.seconds)
        rig.engine.emit(.durationChanged(item.id, .exact(frames: 9_000, sampleRate: 1_000)))
        rig.run()
        #expect(log.log == ["duration=9.0"])
        let live = remoteItem(ScriptedMedium(seconds: 10, isLive: true))
        player.replaceCurrentItem(with: live)
        rig.run()
        #expect(live.status == .readyToPlay && live.duration.isIndefinite)
    }

    @Test("whether the position is estimated is observable, and is reported once for each change (R-SEEK-21)")
    func estimatedPosition() {
        let (item, player) = ready()
        let log = Recorder()
        log.observe(item, "estimated", \.isPositionEstimated)
        for isEstimated in [true, true, false] {
            rig.engine.emit(.positionEstimated(item.id, isEstimated))
            rig.run()
        }
        #expect(log.log == ["estimated=true", "estimated=false"])
        _ = player
    }

    @Test("a medium that is opened again has no estimated position before the engine reports one (R-SEEK-21)")
    func estimatedBeforeReload() {
        let (item, player) = ready()
        rig.engine.emit(.positionEstimated(item.id, true))
        rig.run()
        #expect(item.isPositionEstimated)
        item.forwardPlaybackEndTime = ms(8_000)
        rig.run()
        #expect(!item.isPositionEstimated)
        _ = player
    }

    @Test("the current time is not observable: its progress causes no notification (R-ITEM-06)")
    func timeIsNotObservable() {
        let (item, player) = ready()
        let log = Recorder()
        log.observe(item, "time", \.observedTime.seconds)
        player.play()
        rig.advance(2)
        #expect(player.currentTime() == ms(2_000))
        #expect(log.log == [])
    }

    @Test("the rate of the timebase is the effective one: 0 while waiting, and while another item is current (R-ITEM-08, R-RATE-03)")
    func timebase() throws {
        let (item, player) = ready()
        let timebase = try #require(item.timebase)
        #expect(timebase.rate == 0 && timebase.time == .zero)
        player.rate = 2
        rig.advance(1)
        #expect(timebase.rate == 2 && CMTimebaseGetRate(timebase) == 2 && CMTimebaseGetTime(timebase) == ms(2_000))
        rig.engine.holdsSeeks = true
        rig.engine.emit(.bufferChanged(item.id, level(0, true, false, false)))
        rig.engine.cutTimeline()
        rig.engine.emit(.timelineChanged)
        rig.advance(0.1)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate && player.rate == 2)
        #expect(timebase.rate == 0)
        player.replaceCurrentItem(with: rig.item("b"))
        rig.advance(1)
        #expect(player.timeControlStatus == .playing && timebase.rate == 0)
    }

    @Test("if the pitch algorithm snaps, the player has the requested rate and the timebase the effective one (R-PITCH-02)")
    func snapping() {
        let (item, player) = ready()
        item.audioTimePitchAlgorithm = .lowQualityZeroLatency
        player.rate = 1.4
        rig.run()
        #expect(player.rate == 1.4)
        #expect(item.timebase?.rate == 1.5)
        item.audioTimePitchAlgorithm = .timeDomain
        #expect(item.timebase.map { abs($0.rate - 1.4) < 1e-6 } == true)
    }

    @Test("the algorithm is timeDomain by default; rates are 1/32 to 32, and only varispeed changes the pitch (R-PITCH-01)")
    func algorithms() {
        #expect(rig.item("a").audioTimePitchAlgorithm == .timeDomain)
        let all: [AVAudioTimePitchAlgorithm] = [.timeDomain, .spectral, .varispeed, .lowQualityZeroLatency]
        #expect(all.map(\.engineAlgorithm.changesPitch) == [false, false, true, false])
        for algorithm in all.dropLast() {
            #expect(algorithm.engineAlgorithm.effectiveRate(for: 1.0 / 32) == 1.0 / 32 && algorithm.engineAlgorithm.effectiveRate(for: 32) == 32)
            #expect(algorithm.engineAlgorithm.effectiveRate(for: 32.1) == nil)
        }
        #expect([0.1, 0.6, 0.85, 1.1, 32].map { PitchAlgorithm.lowQualityZeroLatency.effectiveRate(for: $0) } == [0.5, 2.0 / 3, 0.8, 1, 2])
    }

    @Test("offsets from the live edge are invalid for an item that is not live (R-ITEM-09)")
    func liveOffsets() {
        let (item, player) = ready()
        item.configuredTimeOffsetFromLive = ms(3_000)
        #expect(!item.configuredTimeOffsetFromLive.isValid && !item.recommendedTimeOffsetFromLive.isValid)
        #expect(!item.automaticallyPreservesTimeOffsetFromLive)
        let live = remoteItem(ScriptedMedium(seconds: nil, isSeekable: false, isLive: true))
        live.configuredTimeOffsetFromLive = ms(3_000)
        let log = Recorder()
        log.observe(AVPlayerItem.recommendedTimeOffsetFromLiveDidChangeNotification, live, as: "recommended")
        player.replaceCurrentItem(with: live)
        rig.run()
        #expect(live.configuredTimeOffsetFromLive == ms(3_000) && live.recommendedTimeOffsetFromLive == .zero)
        #expect(log.log == ["recommended"])
    }

    @Test("a copy has the settings of the item and the status unknown (R-ITEM-02)")
    func copying() throws {
        let (item, _) = ready()
        item.forwardPlaybackEndTime = ms(5_000)
        item.reversePlaybackEndTime = ms(1_000)
        item.audioTimePitchAlgorithm = .varispeed
        item.preferredForwardBufferDuration = 20
        item.preferredPeakBitRate = 64_000
        let copy = try #require(item.copy() as? AVPlayerItem)
        #expect(copy !== item && copy.asset === item.asset && copy.status == .unknown && copy.canBeAssociated)
        #expect(copy.forwardPlaybackEndTime == ms(5_000) && copy.reversePlaybackEndTime == ms(1_000) && copy.audioTimePitchAlgorithm == .varispeed)
        #expect(copy.preferredForwardBufferDuration == 20 && copy.preferredPeakBitRate == 64_000)
    }

    // MARK: Buffers

    @Test("a local file is loaded completely after it was opened; a remote item is loaded as far as it is buffered (R-BUF-01)")
    func loadedRanges() {
        let (item, player) = ready()
        #expect(item.loadedTimeRanges == [CMTimeRange(start: .zero, duration: ms(10_000))])
        let remote = remoteItem(ScriptedMedium(seconds: 100))
        player.replaceCurrentItem(with: remote)
        player.play()
        rig.advance(3)
        rig.engine.emit(
            .bufferChanged(remote.id, BufferLevel(seconds: 4, end: ms(7_000), isEmpty: false, isFull: false, isLikelyToKeepUp: true)))
        rig.run()
        #expect(remote.loadedTimeRanges.map(\.timeRangeValue) == [CMTimeRange(start: ms(3_000), duration: ms(4_000))])
    }

    @Test("an unseekable item has no seekable range; network use of live streams while paused is off by default (R-BUF-02)")
    func seekableRanges() {
        let (item, player) = ready()
        #expect(item.seekableTimeRanges.count == 1 && !item.canUseNetworkResourcesForLiveStreamingWhilePaused)
        let live = remoteItem(ScriptedMedium(seconds: nil, isSeekable: false, isLive: true))
        player.replaceCurrentItem(with: live)
        rig.run()
        #expect(live.status == .readyToPlay && live.seekableTimeRanges.isEmpty)
    }

    @Test(
        "the buffer is empty if all is consumed (R-BUF-03), full at its limit, never both (R-BUF-04), and likely to keep up as predicted (R-BUF-05)")
    func flags() {
        let item = remoteItem(ScriptedMedium(seconds: 100))
        #expect(item.isPlaybackBufferEmpty && !item.isPlaybackBufferFull && !item.isPlaybackLikelyToKeepUp)
        let player = rig.player(item)
        rig.run()
        func flags(_ level: BufferLevel) -> [Bool] {
            rig.engine.emit(.bufferChanged(item.id, level))
            rig.run()
            return [item.isPlaybackBufferEmpty, item.isPlaybackBufferFull, item.isPlaybackLikelyToKeepUp]
        }
        #expect(flags(level(0, true, false, false)) == [true, false, false])
        #expect(flags(level(1, false, false, true)) == [false, false, true])
        // Full, and still not likely to keep up: the prediction may lack its statistics.
        #expect(flags(level(1, false, true, false)) == [false, true, false])
        #expect(flags(level(0, true, true, false)) == [true, false, false])
        _ = player
    }

    @Test("flags and ranges of the buffer are observable (R-BUF-07)")
    func observableFlags() {
        let item = remoteItem(ScriptedMedium(seconds: 100))
        let log = Recorder()
        log.observe(item, "empty", \.isPlaybackBufferEmpty)
        log.observe(item, "full", \.isPlaybackBufferFull)
        log.observe(item, "likely", \.isPlaybackLikelyToKeepUp)
        log.observe(item, "loaded", \.loadedTimeRanges.count)
        log.observe(item, "seekable", \.seekableTimeRanges.count)
        let player = rig.player(item)
        rig.run()
        #expect(Set(log.log) == ["empty=false", "full=true", "likely=true", "loaded=1", "seekable=1"])
        log.clear()
        rig.engine.emit(.bufferChanged(item.id, level(0, true, false, false)))
        rig.run()
        #expect(Set(log.log) == ["empty=true", "full=false", "likely=false", "loaded=0"])
        _ = player
    }

    @Test("preferredForwardBufferDuration is a hint for the current item; it is 0 by default, and 0 for an invalid value (R-BUF-06)")
    func preferredBuffer() {
        func hints() -> [Double] { rig.engine.values(of: \.forwardBuffer) }
        let item = rig.item("a")
        #expect(item.preferredForwardBufferDuration == 0)
        item.preferredForwardBufferDuration = 30
        let player = rig.player(item)
        rig.run()
        #expect(hints() == [30])
        item.preferredForwardBufferDuration = -.infinity
        #expect(item.preferredForwardBufferDuration == 0 && hints() == [30, 0])
        player.replaceCurrentItem(with: rig.item("b"))
        item.preferredForwardBufferDuration = 5
        #expect(hints() == [30, 0], "the hint of another item is not sent")
    }

    @Test("preferredPeakBitRate is 0 by default, which is no limit (R-BUF-08)")
    func peakBitRate() {
        let item = rig.item("a")
        #expect(item.preferredPeakBitRate == 0)
        item.preferredPeakBitRate = 128_000
        #expect(item.preferredPeakBitRate == 128_000)
    }

    // MARK: Ends and rates

    @Test("at a negative rate reversePlaybackEndTime ends the item with the same notification; at a positive one it is ignored (R-END-01, R-END-02)")
    func reverseEnd() {
        let rig = ScriptedRig(canReverse: true)
        let item = rig.item("a")
        item.reversePlaybackEndTime = ms(2_000)
        let player = rig.player(item)
        let log = Recorder()
        log.observeEnds(item)
        player.play()
        rig.advance(4)
        #expect(player.currentTime() == ms(4_000), "playback begins at the start, before the reverse end time")
        player.rate = -1
        rig.advance(3)
        #expect(log.log == ["didPlayToEnd"])
        #expect(player.rate == 0 && player.currentTime() == ms(2_000))
    }

    @Test("an end time set at or before the position ends the item at once (R-END-03)")
    func endInThePast() {
        let (item, player) = ready()
        let log = Recorder()
        log.observeEnds(item)
        player.play()
        rig.advance(3)
        item.forwardPlaybackEndTime = ms(2_000)
        rig.advance(0.1)
        #expect(log.log == ["didPlayToEnd"])
        #expect(player.rate == 0 && player.currentTime() == ms(3_000))
    }

    @Test("capabilities are false before readyToPlay; then forward rates are possible, and reverse ones if supported (R-STEP-01, R-STEP-02)")
    func capabilities() {
        func all(_ item: AVPlayerItem) -> [Bool] {
            [
                item.canPlaySlowForward, item.canPlayFastForward, item.canPlayReverse, item.canPlaySlowReverse, item.canPlayFastReverse,
                item.canStepForward, item.canStepBackward,
            ]
        }
        let rig = ScriptedRig(canReverse: true)
        let item = rig.item("a")
        let log = Recorder()
        log.observe(item, "fast", \.canPlayFastForward)
        #expect(all(item) == Array(repeating: false, count: 7))
        let player = rig.player(item)
        rig.run()
        #expect(all(item) == Array(repeating: true, count: 7))
        #expect(log.log == ["fast=true"])
        player.seek(to: ms(10_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        #expect(item.canStepForward && item.canStepBackward, "stepping does not change at the ends")
        rig.add("b", ScriptedMedium(seconds: 10, isSeekable: false))
        let still = rig.item(of: "b")
        player.replaceCurrentItem(with: still)
        rig.run()
        #expect(all(still) == [true, true, false, false, false, false, false])
    }

    // MARK: Dates

    @Test("a stream that maps dates to times has a current date and seeks to dates; a date out of range gives false (R-SEEK-10)")
    func dates() throws {
        var medium = ScriptedMedium(seconds: 100)
        medium.info.startDate = 1_700_000_000
        rig.add("a", medium)
        let item = rig.item(of: "a")
        let player = rig.player(item)
        #expect(item.currentDate() == nil)
        rig.run()
        player.play()
        rig.advance(5)
        let date = try #require(item.currentDate())
        #expect(date.timeIntervalSince1970 == 1_700_000_005)
        let log = Recorder()
        #expect(player.seek(to: date.addingTimeInterval(60)) { log.add("near \($0)") })
        rig.run()
        #expect(player.currentTime() == ms(65_000))
        #expect(!item.seek(to: date.addingTimeInterval(-60)) { log.add("before \($0)") })
        #expect(!item.seek(to: date.addingTimeInterval(1e12)) { log.add("far \($0)") })
        #expect(log.log == ["near true", "before false", "far false"])
    }

    @Test("a seek to positive infinity gives false and moves nothing, for a file and for an unseekable live stream (R-SEEK-09)")
    func infinity() {
        let (_, player) = ready()
        let log = Recorder()
        player.seek(to: .positiveInfinity) { log.add("file \($0)") }
        player.replaceCurrentItem(with: remoteItem(ScriptedMedium(seconds: nil, isSeekable: false, isLive: true)))
        rig.run()
        player.seek(to: .positiveInfinity) { log.add("live \($0)") }
        #expect(log.log == ["file false", "live false"])
        #expect(player.currentTime() == .zero)
    }
}
