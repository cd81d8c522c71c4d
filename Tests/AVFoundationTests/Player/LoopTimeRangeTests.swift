import CoreMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// Tests of `AVPlayerItem.loopTimeRange`, with an engine whose events the test scripts.
@Suite("Loop time range") @MainActor struct LoopTimeRangeTests {
    let rig = ScriptedRig()

    private func range(_ start: Double, _ end: Double) -> CMTimeRange {
        CMTimeRange(start: CMTime(seconds: start, preferredTimescale: 1000), end: CMTime(seconds: end, preferredTimescale: 1000))
    }
    private func playing(loop: CMTimeRange = .invalid) -> (AVPlayer, AVPlayerItem) {
        let item = rig.item("a", seconds: 60)
        item.loopTimeRange = loop
        let player = rig.player(item)
        player.play()
        rig.run()
        return (player, item)
    }

    @Test("an item has no loop at first, and a copy has the loop of its original (R-TURN-01)")
    func initial() {
        let item = rig.item("a")
        #expect(!item.loopTimeRange.isValid)
        item.loopTimeRange = range(1, 2)
        #expect(item.duplicate().loopTimeRange == range(1, 2))
        item.loopTimeRange = .invalid
        #expect(!item.loopTimeRange.isValid)
    }

    @Test("the position turns, and neither a jump nor an end is notified (R-TURN-02)")
    func turns() {
        let (player, item) = playing(loop: range(10, 12))
        let notes = [AVPlayerItem.timeJumpedNotification, AVPlayerItem.didPlayToEndTimeNotification].map { name in
            NotificationCount(name, item)
        }
        rig.advance(11)
        #expect(abs(player.currentTime().seconds - 11) < 0.01)
        for turn in 1...5 {
            rig.advance(2)
            #expect(abs(player.currentTime().seconds - 11) < 0.01, "turn \(turn)")
        }
        #expect(notes.map(\.count) == [0, 0])
    }

    @Test("the motion of the position is that of the turn that is heard, although later turns are rendered")
    func motion() throws {
        let (player, _) = playing(loop: range(10, 12))
        rig.advance(15.5)
        let motion = try #require(player.motion())
        #expect(abs(motion.time.seconds - 11.5) < 0.01)
        #expect(motion.hostTime == rig.clock.now)
        #expect(motion.rate == 1)
    }

    @Test("a loop that is set and removed during playback applies to the present turn (R-TURN-04)")
    func changed() {
        let (player, item) = playing()
        rig.advance(5)
        item.loopTimeRange = range(4, 6)
        rig.run()
        rig.advance(2)
        #expect(abs(player.currentTime().seconds - 5) < 0.01)
        item.loopTimeRange = .invalid
        rig.run()
        rig.advance(3)
        #expect(abs(player.currentTime().seconds - 8) < 0.01)
    }

    @Test("a boundary is crossed once in each turn, and a turn crosses none between its ends (R-TURN-05)")
    func boundaries() {
        let (player, _) = playing(loop: range(10, 12))
        let inside = Mutex(0)
        let before = Mutex(0)
        let one = player.addBoundaryTimeObserver(forTimes: [CMTime(value: 11, timescale: 1)], queue: nil) {
            inside.withLock { $0 += 1 }
        }
        let two = player.addBoundaryTimeObserver(forTimes: [CMTime(value: 5, timescale: 1)], queue: nil) {
            before.withLock { $0 += 1 }
        }
        for _ in 0..<170 { rig.advance(0.1) }
        #expect(inside.withLock { $0 } == 3)
        #expect(before.withLock { $0 } == 1)
        player.removeTimeObserver(one)
        player.removeTimeObserver(two)
    }

    @Test("a periodic observer is called at each multiple in each turn (R-TURN-05)")
    func periodic() {
        let (player, _) = playing(loop: range(10, 12))
        rig.advance(9.95)
        let called = Mutex<[Double]>([])
        let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 2), queue: nil) { time in
            called.withLock { $0.append(time.seconds) }
        }
        rig.run()
        called.withLock { $0 = [] }
        rig.advance(6)
        let times = called.withLock { $0 }
        #expect(times.map { ($0 * 2).rounded() / 2 } == [10, 10.5, 11, 11.5, 10, 10.5, 11, 11.5, 10, 10.5, 11, 11.5].prefix(times.count).map { $0 })
        #expect(times.count >= 11)
        player.removeTimeObserver(token)
    }
}

/// Counts the notifications that an item posts under one name.
@MainActor private final class NotificationCount {
    private(set) var count = 0
    private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name, _ item: AVPlayerItem) {
        token = NotificationCenter.default.addObserver(forName: name, object: item, queue: nil) { [weak self] _ in
            MainActor.assumeIsolated { self?.count += 1 }
        }
    }
}
