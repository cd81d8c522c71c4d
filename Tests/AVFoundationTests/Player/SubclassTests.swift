import CoreMedia
import PlaybackTesting
import Testing

@testable import AVFoundation

/// A player that records how it is used.
private final class LoggingPlayer: AVPlayer {
    nonisolated let log = Recorder()

    override func play() {
        log.add("play")
        super.play()
    }

    override var rate: Float {
        get { super.rate }
        set {
            log.add("rate \(newValue)")
            super.rate = newValue
        }
    }

    override func replaceCurrentItem(with item: AVPlayerItem?) {
        log.add("replace")
        super.replaceCurrentItem(with: item)
    }

    override func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
        log.add("seek")
        super.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
    }
}

/// An item that claims another state than it has.
private final class PretendingItem: AVPlayerItem {
    override var status: Status { .failed }
    override func currentTime() -> CMTime { ms(99_000) }
}

private final class Radio: AVQueuePlayer {
    let name: String

    nonisolated init(name: String, station: AVPlayerItem, environment: PlaybackEnvironment) {
        self.name = name
        super.init(items: [station], environment: environment)
    }
}

@Suite("Subclasses") @MainActor struct SubclassTests {
    let rig = ScriptedRig()

    @Test("overridden members are called, and call those of the player; the initializer calls none of them")
    func overridden() {
        let player = LoggingPlayer(playerItem: rig.item("a"), environment: rig.environment)
        rig.run()
        #expect(player.log.log == [])
        player.play()
        player.rate = 2
        player.seek(to: ms(4_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.advance(1)
        #expect(player.rate == 2 && player.currentTime() == ms(6_000))
        player.replaceCurrentItem(with: nil)
        #expect(player.log.log == ["play", "rate 2.0", "seek", "replace"])
    }

    @Test("a player does not ask a subclass of an item for the state of the item")
    func pretending() {
        let player = rig.player(PretendingItem(asset: rig.asset("a", seconds: 10)))
        player.play()
        rig.advance(1)
        #expect(player.timeControlStatus == .playing && player.currentTime() == ms(1_000))
        #expect(player.currentItem?.status == .failed && player.currentItem?.currentTime() == ms(99_000))
    }

    @Test("a subclass has stored properties and initializers of its own")
    func ownInitializer() {
        let radio = Radio(name: "first", station: rig.item("a"), environment: rig.environment)
        radio.play()
        rig.advance(1)
        #expect(radio.name == "first" && radio.items().count == 1 && radio.actionAtItemEnd == .advance && radio.timeControlStatus == .playing)
    }

    @Test("players, items and assets are objects of Foundation, each equal only to itself")
    func objects() {
        let item = rig.item("a")
        let objects: [NSObject] = [rig.player(), item, item.duplicate(), item.asset, AVAudioSession.sharedInstance()]
        #expect(Set(objects).count == 5)
        #expect(objects.contains(item))
    }
}
