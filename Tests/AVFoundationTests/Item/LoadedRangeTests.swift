import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("The buffered ranges of remote items") @MainActor struct LoadedRangeTests {
    let rig = ScriptedRig(canReverse: true)

    private func item(_ name: String, seconds: Double) -> AVPlayerItem {
        let url = "http://example.org/\(name)"
        rig.host.setMedium(ScriptedMedium(seconds: seconds), at: url)
        return AVPlayerItem(asset: AVAsset(source: MediaSource(.remote(url: url)), environment: rig.environment))
    }
    /// Returns a remote item of 100 s that has played for `seconds`, and its player.
    private func playing(for seconds: Double) -> (remote: AVPlayerItem, player: AVPlayer) {
        let remote = item("file", seconds: 100)
        let player = rig.player(remote)
        player.play()
        rig.advance(seconds)
        return (remote, player)
    }
    private func level(_ seconds: Double, end: CMTime) -> BufferLevel {
        BufferLevel(seconds: seconds, end: end, isEmpty: false, isFull: false, isLikelyToKeepUp: true)
    }

    @Test("the buffered range of a remote item ends at the same media time until another end is reported, and at the item's exact end (R-BUF-01)")
    func loadedEnd() {
        let (remote, player) = playing(for: 3)
        defer { withExtendedLifetime(player) {} }
        func ranges(_ end: CMTime) -> [CMTimeRange] {
            rig.engine.emit(.bufferChanged(remote.id, level(4, end: end)))
            rig.run()
            return remote.loadedTimeRanges
        }
        #expect(ranges(ms(7_000)) == [CMTimeRange(start: ms(3_000), end: ms(7_000))])
        rig.advance(3)
        #expect(remote.loadedTimeRanges == [CMTimeRange(start: ms(6_000), end: ms(7_000))])
        rig.advance(2)
        #expect(remote.loadedTimeRanges == [])
        #expect(ranges(ms(107_000)) == [CMTimeRange(start: ms(8_000), end: ms(100_000))])
    }

    @Test("in reverse playback the buffered range of a remote item is before the position (R-BUF-01)")
    func loadedReverse() {
        let (remote, player) = playing(for: 5)
        player.rate = -1
        rig.advance(1)
        rig.engine.emit(.bufferChanged(remote.id, level(3, end: ms(1_000))))
        rig.run()
        #expect(remote.loadedTimeRanges == [CMTimeRange(start: ms(1_000), end: ms(4_000))])
    }

    @Test("an item that is joined to another one has no buffered range before the engine has reported its own (R-BUF-01)")
    func loadedJoined() {
        let first = item("first", seconds: 10)
        let second = item("next", seconds: 100)
        let player = AVQueuePlayer(items: [first, second], environment: rig.environment)
        player.play()
        rig.run()
        let log = Recorder()
        let observation = player.observe(\.currentItem) { _, _ in
            log.add("\(second.loadedTimeRanges.count) ranges, empty: \(second.isPlaybackBufferEmpty)")
        }
        rig.advance(11)
        #expect(log.log == ["0 ranges, empty: false"])
        #expect(second.loadedTimeRanges.first?.start == ms(1_000), "the engine has reported the buffer of the item")
        withExtendedLifetime(observation) {}
    }
}
