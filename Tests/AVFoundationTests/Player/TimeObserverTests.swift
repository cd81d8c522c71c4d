import Dispatch
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// The times, in milliseconds, with which an observer was called.
final class Times: Sendable {
    private let values = Mutex<[Int64]>([])
    var all: [Int64] { values.withLock { $0 } }
    func add(_ time: CMTime) { values.withLock { $0.append(Int64((time.seconds * 1_000).rounded())) } }
    func add(_ value: Int64) { values.withLock { $0.append(value) } }
    func clear() { values.withLock { $0 = [] } }
}

@Suite("Periodic time observers") @MainActor struct PeriodicObserverTests {
    let rig = ScriptedRig()
    let times = Times()

    func observe(_ player: AVPlayer, every interval: CMTime) -> Any {
        player.addPeriodicTimeObserver(forInterval: interval, queue: nil) { [times] in times.add($0) }
    }

    /// Returns a paused player whose item is ready, and the token of a periodic observer of the player.
    func observedPlayer(every interval: CMTime) -> (player: AVPlayer, token: Any) {
        let player = rig.readyPlayer()
        return (player, observe(player, every: interval))
    }

    @Test("a periodic observer is not called without an item or while paused (R-PTO-06)")
    func silent() {
        let player = rig.player()
        let token = observe(player, every: ms(100))
        rig.advance(1)
        #expect(times.all == [])
        player.replaceCurrentItem(with: rig.item("a"))
        rig.run()
        times.clear()
        rig.advance(1)
        #expect(times.all == [])
        _ = token
    }

    @Test("during playback the calls are at multiples of the interval (R-PTO-07), and also at start and stop (R-PTO-02, section K 6)")
    func grid() {
        let (player, token) = observedPlayer(every: ms(100))
        player.play()
        rig.advance(0.35)
        #expect(times.all == [0, 100, 200, 300])
        player.pause()
        #expect(times.all == [0, 100, 200, 300, 350])
        rig.advance(1)
        player.play()
        rig.advance(0.1)
        #expect(times.all == [0, 100, 200, 300, 350, 350, 400])
        _ = token
    }

    @Test("the grid goes on after an exact seek to less than half a frame before one of its points (R-PTO-07, R-SEEK-11)")
    func seekBeforeGridPoint() {
        let (player, token) = observedPlayer(every: ms(100))
        player.seek(to: CMTime(value: 4_699_600, timescale: 1_000_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        times.clear()
        player.play()
        rig.advance(0.35)
        #expect(times.all == [4_700, 4_800, 4_900, 5_000])
        _ = token
    }

    @Test(
        "the interval is media time: twice as many calls at rate 2, half as many at 0.5 (R-PTO-01, section K 6)",
        arguments: [(2.0, 10), (0.5, 2), (1, 5)])
    func scaled(rate: Double, count: Int) {
        let (player, token) = observedPlayer(every: ms(200))
        player.rate = Float(rate)
        times.clear()
        rig.advance(1.0001)
        #expect(times.all.count == count)
        #expect(times.all.allSatisfy { $0 % 200 == 0 })
        _ = token
    }

    @Test("a seek calls once, also while paused, with the landing; the grid stays relative to the item (R-PTO-02, R-SEEK-13, R-PTO-07)")
    func seeking() {
        let (player, token) = observedPlayer(every: ms(500))
        player.seek(to: ms(1_750), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        #expect(times.all == [1_750])
        player.play()
        rig.advance(0.8)
        #expect(times.all == [1_750, 1_750, 2_000, 2_500])
        _ = token
    }

    @Test("a stall and its end count as stop and start (R-PTO-02)")
    func stalling() {
        let (player, token) = observedPlayer(every: ms(1_000))
        player.play()
        rig.advance(0.3)
        let item = rig.engine.currentItem!, level = BufferLevel(seconds: 0, isEmpty: true, isFull: false, isLikelyToKeepUp: false)
        Turn.perform { player.apply(.bufferChanged(item, level)) }
        times.clear()
        Turn.perform { player.apply(.underran) }
        #expect(times.all == [300])
        _ = token
    }

    @Test("an observer survives replacement of the item and is called once for the jump (R-PTO-11, R-REPL-03, section K 6)")
    func replacing() {
        let (player, token) = observedPlayer(every: ms(500))
        player.play()
        rig.advance(0.6)
        times.clear()
        player.replaceCurrentItem(with: rig.item("b"))
        #expect(times.all == [0])
        rig.advance(0.6)
        #expect(times.all == [0, 0, 500])
        _ = token
    }

    @Test("a joined item has its own grid (R-PTO-07)")
    func joined() {
        let player = rig.queue([rig.item("a", seconds: 0.75), rig.item("b")])
        rig.run()
        let token = observe(player, every: ms(500))
        player.play()
        rig.advance(1.3)
        #expect(times.all == [0, 500, 0, 500])
        _ = token
    }

    @Test("calls are at least 10 ms apart in real time (R-PTO-03)")
    func throttled() {
        let (player, token) = observedPlayer(every: ms(1))
        player.play()
        times.clear()
        rig.advance(1)
        #expect((95...101).contains(times.all.count))
        _ = token
    }

    @Test("dropping the token ends the observation (R-PTO-05)")
    func dropped() {
        let player = rig.player(rig.item("a"))
        rig.run()
        var token: Any? = observe(player, every: ms(100))
        player.play()
        rig.advance(0.25)
        let count = times.all.count
        token = nil
        rig.advance(1)
        #expect(times.all.count == count)
        #expect(token == nil)
    }

    @Test("removal takes effect at once, also inside the block (R-RTO-01, R-RTO-05)")
    func removal() {
        let player = rig.player(rig.item("a"))
        rig.run()
        let token = Mutex<TimeObserverToken?>(nil)
        let holder = Holder()
        holder.token = player.addPeriodicTimeObserver(forInterval: ms(100)) { [times, holder] time in
            times.add(time)
            if time >= ms(200) { MainActor.assumeIsolated { holder.remove(from: player) } }
        }
        player.play()
        rig.advance(1)
        #expect(times.all == [0, 100, 200])
        _ = token.withLock { $0 }
    }

    @Test("an observer removed in the turn of a due call is not called (R-RTO-04, section K 7)")
    func removedWhileDue() {
        let (player, token) = observedPlayer(every: ms(100))
        let observation = player.observeOnMain(\.timeControlStatus) { player, _ in player.removeTimeObserver(token) }
        player.play()
        #expect(player.timeControlStatus == .playing)
        #expect(times.all == [], "the status changes before the call at the start")
        observation.invalidate()
    }

    @Test("on a queue of its own at most one call is pending, with the newest time, and none after removal (R-PTO-09, R-RTO-04, section K 6, 7)")
    func ownQueue() {
        let queue = DispatchQueue(label: "observer")
        let player = rig.player(rig.item("a"))
        rig.run()
        let isBlocked = DispatchSemaphore(value: 0)
        queue.async { isBlocked.wait() }
        let token = player.addPeriodicTimeObserver(forInterval: ms(100), queue: queue) { [times] in times.add($0) }
        player.play()
        rig.advance(0.55)
        isBlocked.signal()
        queue.sync {}
        #expect(times.all == [500])
        queue.async { isBlocked.wait() }
        rig.advance(0.1)
        player.removeTimeObserver(token)
        isBlocked.signal()
        queue.sync {}
        #expect(times.all == [500])
    }
}

/// Holds the token of a time observer, so that the observer's own block can remove the observer.
@MainActor private final class Holder {
    var token: Any?
    func remove(from player: AVPlayer) {
        guard let token else { return }
        self.token = nil
        player.removeTimeObserver(token)
    }
}

@Suite("Boundary time observers") @MainActor struct BoundaryObserverTests {
    let rig = ScriptedRig()
    let times = Times()

    /// Adds a boundary observer that records the player's position, in milliseconds, at each call.
    func observe(_ player: AVPlayer, _ boundaries: [CMTime]) -> Any {
        player.addBoundaryTimeObserver(forTimes: boundaries, queue: nil) { [times, weak player] in
            MainActor.assumeIsolated { times.add(player?.currentTime() ?? .zero) }
        }
    }

    /// Returns a paused player with an item, and the token of a boundary observer of the player.
    func observedPlayer(_ boundaries: [CMTime]) -> (player: AVPlayer, token: Any) {
        let player = rig.player(rig.item("a"))
        return (player, observe(player, boundaries))
    }

    @Test("a boundary observer is called once for each boundary that playback crosses (R-BTO-01)")
    func crossing() {
        let (player, token) = observedPlayer([ms(500), ms(1_200)])
        player.play()
        rig.advance(2)
        #expect(times.all == [500, 1_200])
        _ = token
    }

    @Test("a boundary at 0 is not reported at the start, one at 1 ms is (R-BTO-04, section K 8)")
    func atZero() {
        let (player, token) = observedPlayer([.zero])
        let other = observe(player, [ms(1)])
        player.play()
        rig.advance(1)
        #expect(times.all == [1])
        _ = (token, other)
    }

    @Test("a boundary is not reported while paused, nor for a seek to it or across it (R-BTO-03, R-BTO-05, R-BTO-07, section K 8)")
    func seeks() {
        let (player, token) = observedPlayer([ms(2_000)])
        rig.run()
        player.seek(to: ms(2_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.advance(1)
        player.play()
        rig.advance(1)
        #expect(times.all == [])
        player.seek(to: ms(1_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        player.seek(to: ms(5_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.advance(0.5)
        #expect(times.all == [])
        _ = token
    }

    @Test("a boundary is reported again if it is crossed again (R-BTO-09)")
    func again() {
        let (player, token) = observedPlayer([ms(500)])
        player.play()
        rig.advance(1)
        player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        rig.advance(1)
        #expect(times.all == [500, 500])
        _ = token
    }

    @Test("a boundary at the end is reported before the end (R-BTO-07); one beyond it never, and invalid times are ignored (R-BTO-08)")
    func atEnd() {
        let item = rig.item("a", seconds: 1)
        let player = rig.player(item)
        let log = Recorder()
        log.observeEnds(item)
        let token = player.addBoundaryTimeObserver(forTimes: [ms(1_000), .indefinite, ms(1_001), .positiveInfinity]) { log.add("boundary") }
        player.play()
        rig.advance(3)
        #expect(log.log == ["boundary", "didPlayToEnd"])
        _ = token
    }

    @Test("a boundary in centuries does not overflow, even at the slowest rate (R-BTO-01)", arguments: [1e9, 1e15])
    func centuriesAway(seconds: Double) {
        let (player, token) = observedPlayer([ms(500), CMTime(seconds: seconds, preferredTimescale: 1_000)])
        player.playImmediately(atRate: 0.03125)
        rig.advance(20)
        #expect(times.all == [500])
        _ = token
    }

    @Test("a pause just after a boundary does not lose its call")
    func pausedAfter() {
        let (player, token) = observedPlayer([ms(500)])
        player.play()
        rig.run()
        // The clock advances, but the main actor has no turn, as if it were busy.
        rig.clock.advance(by: 0.6)
        player.pause()
        #expect(times.all == [600])
        _ = token
    }

    @Test("at a negative rate a boundary is reported when it is crossed downwards (R-BTO-06)")
    func backwards() {
        let rig = ScriptedRig(canReverse: true)
        let player = rig.player(rig.item("a"))
        let token = observe(player, [ms(2_000)])
        rig.run()
        player.seek(to: ms(3_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        player.rate = -1
        rig.advance(1.5)
        #expect(player.currentTime() == ms(1_500))
        #expect(times.all == [2_000])
        _ = token
    }
}

@Suite("Grids and boundaries of time observers") struct TimeObserverLogicTests {
    @Test("the grid is exact for any interval and sample rate (R-PTO-07)", arguments: 1...100)
    func exactGrid(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let interval = CMTime(
            value: Int64.random(in: 1...2_000_000, using: &generator), timescale: Int32.random(in: 1...1_000_000_000, using: &generator))
        let sampleRate = [8_000, 44_100, 48_000, 192_000].randomElement(using: &generator) ?? 48_000
        var grid = PeriodicGrid(interval: interval)
        var position = Int64.random(in: 0...100_000_000, using: &generator)
        for _ in 0..<50 {
            let time = CMTime(value: position, timescale: CMTimeScale(sampleRate))
            grid.move(to: time)
            guard let next = grid.nextFrame(after: time, forward: true, sampleRate: sampleRate) else {
                Issue.record("there is always a next point")
                return
            }
            let frame = max(position + 1, Int64(next))
            #expect(grid.reaches(CMTime(value: frame, timescale: CMTimeScale(sampleRate))))
            #expect(
                frame - 1 <= position || !grid.reaches(CMTime(value: frame - 1, timescale: CMTimeScale(sampleRate))) || next <= Double(position + 1))
            position = frame
        }
    }

    @Test("each boundary is crossed exactly once, however playback is divided into steps (R-BTO-06)", arguments: 1...100)
    func crossings(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let boundary = ms(Int64.random(in: 1...999, using: &generator))
        var times = BoundaryTimes(times: [boundary])
        var position: Int64 = 0
        var crossings = 0
        times.move(to: .zero)
        while position < 1_000 {
            position = min(1_000, position + Int64.random(in: 1...200, using: &generator))
            if times.crosses(ms(position)) { crossings += 1 }
            times.move(to: ms(position))
        }
        #expect(crossings == 1)
    }

    @Test("the times of a boundary observer are sorted, and invalid ones are omitted (R-BTO-08)")
    func sorting() {
        #expect(BoundaryTimes(times: [ms(3), .invalid, ms(1), .positiveInfinity, ms(2)]).times == [ms(1), ms(2), ms(3)])
    }
}
