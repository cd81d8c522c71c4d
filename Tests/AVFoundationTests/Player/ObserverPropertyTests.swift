import Dispatch
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// Records the calls of two time observers during one random sequence of operations, and the mistakes that were found in the calls.
@MainActor private final class WalkLog {
    var periodic: [CMTime] = []
    var boundaryCalls = 0
    var problems: [String] = []
    /// Whether the player now plays without other operations, so that each call must have the position that is heard.
    var isPlayingOn = false
}

@Suite("Time observers under random operations") @MainActor struct ObserverPropertyTests {
    @Test(
        """
        each call has the heard time, never negative; during playback there is one call for every grid point and boundary reached, and no other; none after \
        removal (R-PTO-01, R-PTO-07, R-PTO-08, R-BTO-01, R-BTO-06, R-BTO-09, R-RTO-01)
        """, arguments: 1...60)
    func walk(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rig = ScriptedRig(canReverse: true)
        let player = rig.player()
        let log = WalkLog()
        let interval = ms([100, 250, 400].randomElement(using: &generator) ?? 100)
        let boundaries = (0..<6).map { _ in ms(Int64.random(in: 0...200, using: &generator) * 50) }
        let periodic = player.addPeriodicTimeObserver(forInterval: interval, queue: nil) { [weak player] time in
            MainActor.assumeIsolated {
                log.periodic.append(time)
                // In the turn of the main actor in which the time jumps, a call may have a time from before the jump.
                if log.isPlayingOn, time != player?.currentTime() {
                    log.problems.append("called with \(time.seconds), heard \(player?.currentTime().seconds ?? -1)")
                }
                if time < .zero { log.problems.append("negative") }
                if player?.currentItem == nil { log.problems.append("called without an item") }
            }
        }
        let boundary = player.addBoundaryTimeObserver(forTimes: boundaries, queue: nil) { MainActor.assumeIsolated { log.boundaryCalls += 1 } }
        for step in 0..<40 {
            switch Int.random(in: 0..<9, using: &generator) {
            case 0: player.replaceCurrentItem(with: rig.item("item \(step)"))
            case 1: player.pause()
            case 2, 3: player.rate = [1, 2, 0.5, -1].randomElement(using: &generator) ?? 1
            case 4:
                player.seek(to: ms(Int64.random(in: 0...10_000, using: &generator)), toleranceBefore: .zero, toleranceAfter: .zero)
                rig.run()
            default: playOn(rig, player, log, interval, boundaries, Double.random(in: 0.1...1.5, using: &generator))
            }
            check(player)
        }
        player.removeTimeObserver(periodic)
        player.removeTimeObserver(boundary)
        let before = (log.periodic.count, log.boundaryCalls)
        player.rate = 1
        rig.advance(2)
        #expect((log.periodic.count, log.boundaryCalls) == before)
        #expect(log.problems == [])
    }

    /// Lets playback continue for `seconds`. Then compares the calls of the observers with the multiples of the interval and the boundaries that
    /// playback has reached.
    private func playOn(
        _ rig: ScriptedRig, _ player: AVPlayer, _ log: WalkLog, _ interval: CMTime, _ boundaries: [CMTime], _ seconds: Double
    ) {
        rig.run()
        let (start, item, rate) = (player.currentTime(), player.currentItem, player.rate)
        log.periodic = []
        log.boundaryCalls = 0
        let wasPlaying = player.timeControlStatus == .playing
        log.isPlayingOn = true
        rig.advance(seconds)
        log.isPlayingOn = false
        let end = player.currentTime()
        guard wasPlaying, player.timeControlStatus == .playing, player.currentItem === item else { return }
        func isPlayedOver(_ time: CMTime) -> Bool { rate > 0 ? start < time && time <= end : end <= time && time < start }
        let grid = (0...200).map { CMTimeMultiply(interval, multiplier: $0) }.filter(isPlayedOver)
        // An observer is called at the first frame at or after the requested time, but at least 10 ms after its preceding call (R-PTO-03).
        let slack = 0.013 * Double(abs(rate))
        for point in grid {
            #expect(log.periodic.contains { abs(($0 - point).seconds) <= slack }, "no call at \(point.seconds)")
        }
        #expect(log.periodic.count == grid.count)
        #expect(log.boundaryCalls == Set(boundaries.filter(isPlayedOver).map(\.value)).count)
    }

    /// Checks R-TCS-05 on the player's public state.
    private func check(_ player: AVPlayer) {
        let effective = player.currentItem?.timebase?.rate ?? 0
        switch player.timeControlStatus {
        case .paused: #expect(player.rate == 0 && effective == 0 && player.reasonForWaitingToPlay == nil)
        case .waitingToPlayAtSpecifiedRate: #expect(player.rate != 0 && effective == 0 && player.reasonForWaitingToPlay != nil)
        case .playing: #expect(player.rate != 0 && effective != 0 && player.reasonForWaitingToPlay == nil)
        }
    }

    @Test("timeControlStatus, rate, timebase and reason are consistent after every operation (R-TCS-05)", arguments: 1...60)
    func invariants(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &+ 1_000)
        let rig = ScriptedRig()
        let player = rig.queue()
        for step in 0..<60 {
            let item = player.currentItem
            switch Int.random(in: 0..<12, using: &generator) {
            case 0, 1: player.insert(rig.item("item \(step)", seconds: Double.random(in: 0.5...3, using: &generator)), after: nil)
            case 2: player.play()
            case 3: player.pause()
            case 4: player.playImmediately(atRate: 1.5)
            case 5: player.automaticallyWaitsToMinimizeStalling.toggle()
            case 6: player.actionAtItemEnd = [.advance, .pause, .none].randomElement(using: &generator) ?? .pause
            case 7: player.advanceToNextItem()
            case 8: player.seek(to: ms(Int64.random(in: -100...3_500, using: &generator)))
            case 9:
                guard let item else { continue }
                let flags = (Bool.random(using: &generator), Bool.random(using: &generator))
                rig.engine.emit(
                    .bufferChanged(item.id, BufferLevel(seconds: 1, isEmpty: flags.0, isFull: false, isLikelyToKeepUp: flags.1 && !flags.0)))
            case 10: rig.session.handle(Bool.random(using: &generator) ? .interruptionBegan(.default) : .interruptionEnded(shouldResume: true))
            default: rig.advance(Double.random(in: 0...1, using: &generator))
            }
            check(player)
            rig.run()
            check(player)
        }
    }

    @Test("the blocks of one observer never overlap, even on a concurrent queue (R-PTO-04)")
    func concurrentQueue() {
        let rig = ScriptedRig()
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let player = rig.player(rig.item("a"))
        rig.run()
        let state = Mutex((inside: 0, most: 0, calls: 0))
        let isEntered = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        let token = player.addPeriodicTimeObserver(forInterval: ms(100), queue: queue) { _ in
            state.withLock { state in
                state.inside += 1
                state.calls += 1
                state.most = max(state.most, state.inside)
            }
            isEntered.signal()
            mayLeave.wait()
            state.withLock { $0.inside -= 1 }
        }
        player.play()
        isEntered.wait()
        // While the observer's first block runs, ten more calls become due. The second block may begin only after the first has ended.
        rig.advance(1.05)
        mayLeave.signal()
        isEntered.wait()
        mayLeave.signal()
        player.removeTimeObserver(token)
        queue.sync(flags: .barrier) {}
        let counts: [Int] = state.withLock { [$0.inside, $0.most, $0.calls] }
        #expect(counts == [0, 1, 2])
    }

    @Test("no block runs after removal and one turn of the observer's queue, nor after removal on that queue (R-RTO-02)")
    func removalOnQueue() {
        let rig = ScriptedRig()
        let queue = DispatchQueue(label: "observer")
        let player = rig.player(rig.item("a"))
        rig.run()
        let times = Times()
        let isBlocked = DispatchSemaphore(value: 0)
        queue.async { isBlocked.wait() }
        let token = player.addPeriodicTimeObserver(forInterval: ms(100), queue: queue) { times.add($0) }
        player.play()
        rig.advance(0.5)
        // A call of the observer is already in the queue. Then the observer is removed, and after that the queue runs the call.
        player.removeTimeObserver(token)
        isBlocked.signal()
        queue.sync {}
        rig.advance(1)
        queue.sync {}
        #expect(times.all == [])
    }
}
