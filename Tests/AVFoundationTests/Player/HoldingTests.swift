import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Held items") @MainActor struct HoldingTests {
    let rig = ScriptedRig()
    private let error = PlaybackError(.fileNotFound, "There is no such file.")

    /// A playing queue player that holds every item that would fail.
    private func player(_ items: [AVPlayerItem]) -> AVQueuePlayer {
        let player = rig.queue()
        player.handleFailures { _, _ in true }
        for item in items { player.insert(item, after: nil) }
        player.play()
        rig.run()
        return player
    }

    @Test("a current item that is held waits at its start position and at the requested rate, and a retry plays it there")
    func current() {
        let item = rig.item(of: "a")
        item.seek(to: ms(3_000), toleranceBefore: .zero, toleranceAfter: .zero)
        let player = player([item, rig.item("b")])
        rig.advance(5)
        #expect(player.currentItem === item && item.status == .unknown && item.error == nil)
        #expect(player.rate == 1 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(player.currentTime() == ms(3_000))
        player.retry(item)
        rig.run()
        #expect(item.status == .unknown && item.isHeld)
        rig.add("a", ScriptedMedium(seconds: 10))
        player.retry(item)
        rig.advance(1)
        #expect(item.status == .readyToPlay && !item.isHeld && player.currentTime() == ms(4_000))
        rig.advance(7)
        #expect(player.items().count == 1 && player.currentTime() == ms(1_000))
    }

    @Test("a following item that is held is opened again when it becomes current, and no item is played in its place")
    func follower() {
        let items = [rig.item("a", seconds: 2), rig.item(of: "b"), rig.item("c")]
        let player = player(items)
        #expect(items[1].isHeld && items[1].status == .unknown && player.items() == items)
        rig.add("b", ScriptedMedium(seconds: 10))
        rig.advance(3)
        // It is opened when the first item has ended, so it does not begin without a gap.
        let time = player.currentTime()
        #expect(player.currentItem === items[1] && time > ms(900) && time <= ms(1_000), "\(time)")
    }

    @Test("a retry of a following item lets the engine open it ahead")
    func followerAgain() {
        let items = [rig.item("a", seconds: 2), rig.item(of: "b")]
        let player = player(items)
        rig.add("b", ScriptedMedium(seconds: 10))
        player.retry(items[1])
        rig.run()
        #expect(items[1].status == .readyToPlay && player.currentItem === items[0])
    }

    @Test("an item whose medium is lost in the middle keeps its position, after its rendered audio was heard, and a retry continues there")
    func lost() throws {
        let item = rig.item("a")
        let player = player([item])
        rig.advance(3)
        rig.engine.cutTimeline(isFinal: true)
        rig.engine.emit(.failed(try #require(rig.engine.currentItem), error))
        rig.advance(5)
        #expect(player.currentItem === item && item.isHeld && item.status == .readyToPlay)
        #expect(player.rate == 1 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate && player.currentTime() == ms(3_000))
        player.retry(item)
        rig.advance(1)
        #expect(player.timeControlStatus == .playing && player.currentTime() == ms(4_000))
    }

    @Test("a held item that is given up fails, and the next one plays", arguments: [true, false])
    func givenUp(isCurrent: Bool) {
        let items = isCurrent ? [rig.item(of: "a"), rig.item("b")] : [rig.item("b"), rig.item(of: "a"), rig.item("c")]
        let player = player(items)
        let held = items[isCurrent ? 0 : 1]
        player.giveUp(held, error)
        rig.run()
        #expect(held.status == .failed && player.items() == items.filter { $0 !== held })
        #expect(player.timeControlStatus == .playing && player.rate == 1)
    }

    @Test("a seek of a held item changes its position at once, and it is opened there")
    func seeking() {
        let item = rig.item(of: "a")
        let player = player([item])
        let log = Recorder()
        player.seek(to: ms(7_000), toleranceBefore: .zero, toleranceAfter: .zero) { log.add("\($0)") }
        player.seek(to: .positiveInfinity, toleranceBefore: .zero, toleranceAfter: .zero) { log.add("\($0)") }
        rig.run()
        #expect(log.log == ["true", "false"] && player.currentTime() == ms(7_000))
        rig.add("a", ScriptedMedium(seconds: 10))
        player.retry(item)
        rig.advance(1)
        #expect(player.currentTime() == ms(8_000))
    }

    @Test("a held item can be left, and removed")
    func left() {
        let items = [rig.item(of: "a"), rig.item("b"), rig.item(of: "c")]
        let player = player(items)
        player.remove(items[2])
        player.advanceToNextItem()
        rig.advance(1)
        #expect(player.currentItem === items[1] && player.currentTime() == ms(1_000))
        #expect(items[0].canBeAssociated && items[2].canBeAssociated)
    }
}
