import Foundation
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

@Suite("Pauses of live streams") @MainActor struct LivePauseTests {
    let rig = ScriptedRig()
    let log = Recorder()

    /// A player that has played an item of a server for a second, and is paused.
    private func pausedPlayer(isLive: Bool = true) -> (AVPlayer, AVPlayerItem, Counter) {
        let url = "http://example.org/a"
        rig.host.setMedium(ScriptedMedium(seconds: isLive ? nil : 100, isSeekable: !isLive, isLive: isLive), at: url)
        let item = AVPlayerItem(asset: AVAsset(source: MediaSource(.remote(url: url)), environment: rig.environment))
        let released = Counter()
        item.connection.observeRelease { released.increase() }
        log.observe(AVPlayerItem.timeJumpedNotification, item, as: "jump")
        let player = rig.player(item)
        player.play()
        rig.advance(1)
        player.pause()
        rig.run()
        return (player, item, released)
    }
    private var loads: Int { rig.engine.commands.filter { if case .load = $0 { true } else { false } }.count }

    @Test("after a pause of more than 10 s the connection is closed, and playback continues at the live edge with a jump (R-LIVE-01)")
    func longPause() {
        let (player, item, released) = pausedPlayer()
        rig.advance(9.9)
        #expect(released.count == 0)
        rig.advance(0.2)
        #expect(released.count == 1 && loads == 1 && log.log.isEmpty)
        player.play()
        rig.advance(2)
        #expect(loads == 2 && log.log == ["jump"])
        #expect(player.timeControlStatus == .playing && player.currentTime() == ms(2_000) && item.status == .readyToPlay)
    }

    @Test("after a shorter pause playback continues with the buffered audio (R-LIVE-01)")
    func shortPause() {
        let (player, _, released) = pausedPlayer()
        rig.advance(9)
        player.play()
        rig.advance(20)
        #expect(released.count == 0 && loads == 1 && log.log.isEmpty)
        #expect(player.currentTime() == ms(21_000))
    }

    @Test("a medium with an end keeps its connection during a pause (R-LIVE-01)")
    func file() {
        let (player, _, released) = pausedPlayer(isLive: false)
        rig.advance(60)
        player.play()
        rig.advance(1)
        #expect(released.count == 0 && loads == 1 && player.currentTime() == ms(2_000))
    }

    @Test("each long pause joins the live edge again (R-LIVE-01)")
    func repeated() {
        let (player, item, _) = pausedPlayer()
        for round in 1...3 {
            rig.advance(11)
            player.play()
            rig.advance(1)
            player.pause()
            rig.run()
            #expect(loads == 1 + round && log.log.count == round)
            _ = item
        }
    }
}

/// A counter that any thread may increase.
private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func increase() { value.withLock { $0 += 1 } }
}
