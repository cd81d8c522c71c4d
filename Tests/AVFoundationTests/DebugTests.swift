import PlaybackEngine
import PlaybackTesting
import Testing
@testable import AVFoundation
@Suite @MainActor struct DebugTests {
    let rig = RealRig()
    @Test func dbg() {
        let items = [rig.item("a", frames: 4_410), rig.item("missing", frames: 1), rig.item("b", frames: 4_410, base: 100_000)]
        rig.opener.set("/missing", error: PlaybackError(.fileNotFound, "There is no such file."))
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.play()
        for _ in 0..<30 {
            rig.advance(0.01)
            let i = rig.host.engines[0].clock.now()
            print(player.items().count, player.timeControlStatus, player.currentItem?.engineID.rawValue ?? 0, i.frame, i.item?.rawValue ?? 0, rig.heard.count, rig.host.engines[0].clock.timeline.segments.map { "\($0.item.rawValue):\($0.start)-\($0.end ?? -1)" }, rig.host.engines[0].clock.timeline.written, rig.sink.isRunning, player.currentItem?.bufferLevel as Any)
        }
    }
}
