import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

/// The environment of a player with the real engine. The test steps the engine in virtual time, and the device records the frames that are heard.
@MainActor final class RealRig {
    let clock = VirtualClock()
    let scheduler: VirtualScheduler
    let host: SteppedEngineHost
    let opener = ScriptedOpener()
    let sink: CaptureSink
    let environment: PlaybackEnvironment
    private(set) var heard: [Float] = []

    init() {
        scheduler = VirtualScheduler(clock: clock)
        host = SteppedEngineHost(clock: clock)
        sink = CaptureSink(clock: clock)
        environment = PlaybackEnvironment(
            opener: opener, outputs: [.capture(sink)], clock: clock, scheduler: scheduler, engineHost: host)
    }

    /// Returns an item in which each sample of media frame n has the value `base + n`.
    func item(_ path: String, frames: Int64, base: Float = 0) -> AVPlayerItem {
        opener.set("/" + path, RampReader.Script(frames: frames, base: base))
        return AVPlayerItem(asset: AVAsset(source: MediaSource(.file(path: "/" + path)), environment: environment))
    }

    /// Runs all pending work without advancing the clock.
    func settle() {
        for _ in 0..<10 {
            for engine in host.engines { engine.settle() }
            scheduler.run()
        }
    }

    /// Advances the clock, 10 ms at a time.
    func advance(_ seconds: Double) {
        settle()
        for _ in 0..<Int((seconds * 100).rounded()) {
            scheduler.advance(by: 0.01)
            sink.play(frames: 441)
            settle()
            heard += sink.takeHeard().map(\.value)
        }
    }
}

/// Returns the samples of `count` media frames from frame `start` on, each of which is the number of its frame.
private func ramp(_ start: Int, _ count: Int) -> [Float] { (start..<(start + count)).map { Float($0) } }

@Suite("AVPlayer on the real engine") @MainActor struct RealEngineTests {
    let rig = RealRig()

    @Test("over play, pause and play every frame is heard once, in order")
    func everyFrameOnce() {
        let player = AVPlayer(playerItem: rig.item("a", frames: 88_200), environment: rig.environment)
        player.play()
        rig.advance(0.5)
        player.pause()
        rig.advance(0.5)
        #expect(abs(player.currentTime().seconds - 0.5) < 0.011)
        player.play()
        rig.advance(3)
        #expect(rig.heard.count == 88_200)
        // The frames before the pause fade out over 5 ms, and the frames after the resume fade in. So 220 frames each differ.
        #expect(rig.heard[..<22_000] == ramp(0, 22_000)[...])
        #expect(rig.heard[23_000...] == ramp(0, 88_200)[23_000...])
        #expect(zip(rig.heard, ramp(0, 88_200)).count { $0 != $1 } <= 440)
        #expect(player.timeControlStatus == .paused)
        #expect(player.currentTime() == CMTime(value: 88_200, timescale: 44_100))
    }

    @Test("the items of a queue join without a lost or added frame, short ones too (R-QUEUE-06)")
    func gapless() {
        let items = [
            rig.item("a", frames: 30_000), rig.item("b", frames: 500, base: 100_000), rig.item("c", frames: 700, base: 200_000),
            rig.item("d", frames: 30_000, base: 300_000),
        ]
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.actionAtItemEnd = .advance
        let log = Recorder()
        for (item, name) in zip(items, ["a", "b", "c", "d"]) { log.observeEnds(item, " " + name) }
        player.play()
        rig.advance(2)
        let expected = ramp(0, 30_000) + ramp(100_000, 500) + ramp(200_000, 700) + ramp(300_000, 30_000)
        #expect(rig.heard == expected)
        #expect(log.log == ["didPlayToEnd a", "didPlayToEnd b", "didPlayToEnd c", "didPlayToEnd d"])
        #expect(player.currentItem == nil)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
    }

    @Test("a seek while playing lands exactly, and no frame of the old position is heard after it (R-SEEK-01, R-SEEK-18)")
    func seeking() {
        let player = AVPlayer(playerItem: rig.item("a", frames: 441_000), environment: rig.environment)
        player.play()
        rig.advance(1)
        var landed: Bool?
        player.seek(to: CMTime(value: 200_001, timescale: 44_100), toleranceBefore: .zero, toleranceAfter: .zero, allowsEstimate: false) {
            landed = $0
        }
        rig.settle()
        #expect(landed == true)
        #expect(player.currentTime() == CMTime(value: 200_001, timescale: 44_100))
        let before = rig.heard.count
        rig.advance(0.5)
        let after = Array(rig.heard[before...]).drop { $0 < 200_001 }
        #expect(rig.heard[before..<(rig.heard.count - after.count)].count <= 441, "only frames that the device had taken")
        #expect(after.count > 20_000)
        // The first 5 ms after the seek fade in, so their samples differ.
        let first = after.first.map { Int($0) } ?? 0
        #expect(first <= 200_001 + 221)
        #expect(Array(after) == ramp(first, after.count))
        #expect(player.timeControlStatus == .playing)
    }

    @Test("after a seek back from the end, play plays the item again (R-EOI-03, R-SEEK-16)")
    func again() {
        let player = AVPlayer(playerItem: rig.item("a", frames: 22_050), environment: rig.environment)
        player.play()
        rig.advance(1)
        #expect(player.rate == 0)
        player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        player.play()
        #expect(player.rate == 1)
        rig.advance(1)
        #expect(rig.heard.count == 44_100)
        #expect(Array(rig.heard[22_050...]) == ramp(0, 22_050))
    }

    @Test("advancing uses the next item that is already open (R-QUEUE-03)")
    func skipping() {
        let items = [rig.item("a", frames: 441_000), rig.item("b", frames: 44_100, base: 1_000_000)]
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.play()
        rig.advance(0.5)
        player.advanceToNextItem()
        rig.advance(2)
        #expect(rig.opener.openedPaths == ["/a", "/b"])
        #expect(rig.heard.suffix(44_100) == ramp(1_000_000, 44_100)[...])
    }

    @Test("if an item fails while playing, its decoded frames are heard, and the queue advances (R-QUEUE-07, R-EOI-07)")
    func breaking() {
        let broken = rig.item("a", frames: 88_200)
        var script = RampReader.Script(frames: 88_200)
        script.failsAt = 10_000
        rig.opener.set("/a", script)
        let next = rig.item("b", frames: 4_410, base: 1_000_000)
        let player = AVQueuePlayer(items: [broken, next], environment: rig.environment)
        let log = Recorder()
        log.observeEnds(broken, " a")
        log.observeEnds(next, " b")
        player.play()
        rig.advance(1)
        #expect(rig.heard.prefix(10_000) == ramp(0, 10_000)[...])
        #expect(rig.heard.suffix(4_410) == ramp(1_000_000, 4_410)[...])
        #expect(log.log == ["failedToPlayToEnd a", "didPlayToEnd b"])
        #expect(broken.status == .failed)
    }

    @Test("an item of a queue that cannot be opened is skipped (R-QUEUE-07)", arguments: [0, 1])
    func cannotOpen(index: Int) {
        var items = [rig.item("a", frames: 4_410), rig.item("b", frames: 4_410, base: 100_000)]
        let missing = rig.item("missing", frames: 1)
        rig.opener.set("/missing", error: PlaybackError(.fileNotFound, "There is no such file."))
        items.insert(missing, at: index)
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.play()
        rig.advance(1)
        #expect(rig.heard == ramp(0, 4_410) + ramp(100_000, 4_410))
        #expect(missing.status == .failed)
        #expect(missing.canBeAssociated)
        #expect(player.rate == 1)
    }

    @Test("if the device is lost and opened again, playback continues at the heard position, and the time never goes back (R-LNX-34)")
    func deviceLost() {
        let player = AVPlayer(playerItem: rig.item("a", frames: 441_000), environment: rig.environment)
        player.play()
        rig.advance(1)
        rig.sink.lose()
        rig.settle()
        #expect(player.currentTime().seconds > 0.98)
        rig.advance(1)
        #expect(player.timeControlStatus == .playing)
        #expect(player.currentTime().seconds > 1.9)
    }

    @Test("a rate change takes effect at once, and the position follows (R-RATE-09)")
    func rateChange() {
        let player = AVPlayer(playerItem: rig.item("a", frames: 441_000), environment: rig.environment)
        player.play()
        rig.advance(1)
        player.rate = 2
        rig.advance(1)
        #expect(abs(player.currentTime().seconds - 3) < 0.02)
        player.rate = 0.5
        rig.advance(1)
        #expect(abs(player.currentTime().seconds - 3.5) < 0.03)
    }

    @Test("a negative rate that was requested before there was an item plays the item backwards from its start position (R-RATE-07)")
    func reverseBeforeItem() {
        var environment = rig.environment
        environment.canReverse = true
        let player = AVPlayer(playerItem: nil, environment: environment)
        player.rate = -1
        let item = rig.item("a", frames: 88_200)
        item.seek(to: CMTime(value: 1, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        player.replaceCurrentItem(with: item)
        rig.advance(0.5)
        #expect(player.rate == -1 && player.timeControlStatus == .playing)
        #expect(abs(player.currentTime().seconds - 0.5) < 0.03)
        let heard = rig.heard.dropFirst(220)
        #expect(heard.count > 20_000)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 == $1 + 1 })
    }

    @Test("a negative rate also holds for an item that another player has made ready (R-RATE-07)")
    func reverseReadyItem() {
        var environment = rig.environment
        environment.canReverse = true
        let item = rig.item("a", frames: 88_200)
        let first = AVPlayer(playerItem: item, environment: environment)
        rig.settle()
        #expect(item.status == .readyToPlay)
        first.replaceCurrentItem(with: nil)
        rig.settle()
        let player = AVPlayer(playerItem: nil, environment: environment)
        player.rate = -1
        item.seek(to: CMTime(value: 1, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        player.replaceCurrentItem(with: item)
        rig.advance(0.5)
        #expect(player.rate == -1)
        #expect(abs(player.currentTime().seconds - 0.5) < 0.03)
        let heard = rig.heard.dropFirst(220)
        #expect(heard.count > 20_000)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 == $1 + 1 })
    }

    @Test("a seek while paused changes the position, and play starts there (R-SEEK-13)")
    func seekWhilePaused() {
        let player = AVPlayer(playerItem: rig.item("a", frames: 441_000), environment: rig.environment)
        rig.settle()
        player.seek(to: CMTime(value: 88_200, timescale: 44_100), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.settle()
        #expect(player.currentTime() == CMTime(value: 88_200, timescale: 44_100))
        player.play()
        rig.advance(0.5)
        // The first 220 frames are the lead-in (a fade-in of 5 ms). The target frame follows, unchanged.
        #expect(rig.heard.dropFirst(220).first == 88_200)
    }
}
