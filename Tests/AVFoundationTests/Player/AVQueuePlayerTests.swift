import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVQueuePlayer") @MainActor struct AVQueuePlayerTests {
    let rig = ScriptedRig()

    @Test("items is a snapshot with the current item first (R-QUEUE-01); actionAtItemEnd is advance by default (R-EOI-02)")
    func items() {
        let all = [rig.item("a"), rig.item("b"), rig.item("c")]
        let player = rig.queue(all)
        #expect(player.items() == all)
        #expect(player.currentItem === all[0])
        #expect(player.actionAtItemEnd == .advance)
        #expect(AVPlayer(playerItem: nil, environment: rig.environment).actionAtItemEnd == .pause)
    }

    @Test(
        "an automatic advance posts didPlayToEnd, then changes currentItem; no rate change or timeJumped; the item is gone (R-QUEUE-02, R-QUEUE-10)"
    )
    func advancing() {
        let first = rig.item("a", seconds: 2)
        let second = rig.item("b", seconds: 2)
        let player = rig.queue([first, second])
        player.play()
        rig.run()
        let log = Recorder()
        log.observeTransport(player)
        log.observeEnds(first, " a")
        log.observeEnds(second, " b")
        let token = player.observe(\.currentItem, options: [.old, .new]) { _, change in
            log.add("item \(change.oldValue == first) \(change.newValue == second)")
        }
        rig.advance(2.5)
        #expect(log.log == ["didPlayToEnd a", "item true true"])
        #expect(player.items() == [second])
        #expect(player.currentTime() == ms(500))
        #expect(first.canBeAssociated)
        token.invalidate()
    }

    @Test("after the last item there is no current item and the player waits at its rate; an item added then plays at once (R-QUEUE-08, J-8)")
    func exhausted() {
        let player = rig.queue([rig.item("a", seconds: 1)])
        player.play()
        rig.advance(2)
        #expect(player.currentItem == nil)
        #expect(player.rate == 1)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        player.insert(rig.item("b"), after: nil)
        rig.advance(1)
        #expect(player.timeControlStatus == .playing)
        #expect(player.currentTime() == ms(1_000))
    }

    @Test("with actionAtItemEnd pause the ended item stays, and a later advance does not restore the rate (R-QUEUE-09)")
    func pauseAtEnd() {
        let second = rig.item("b")
        let player = rig.queue([rig.item("a", seconds: 1), second])
        player.actionAtItemEnd = .pause
        player.play()
        rig.advance(2)
        #expect(player.items().count == 2)
        #expect(player.rate == 0)
        player.advanceToNextItem()
        rig.advance(1)
        #expect(player.currentItem === second)
        #expect(player.rate == 0)
        #expect(player.currentTime() == .zero)
    }

    @Test("advanceToNextItem takes effect at once and posts no didPlayToEnd (R-QUEUE-03)")
    func advanceByHand() {
        let first = rig.item("a")
        let second = rig.item("b")
        let log = Recorder()
        log.observeEnds(first)
        let player = rig.queue([first, second])
        player.play()
        rig.advance(1)
        player.advanceToNextItem()
        rig.advance(1)
        #expect(log.log == [])
        #expect(player.currentItem === second)
        #expect(player.currentTime() == ms(1_000))
    }

    @Test("removing the current item advances; removing another one only shortens the queue (R-QUEUE-05)")
    func removing() {
        let all = [rig.item("a", seconds: 1), rig.item("b", seconds: 1), rig.item("c")]
        let player = rig.queue(all)
        player.play()
        rig.advance(0.5)
        player.remove(all[1])
        rig.advance(1)
        #expect(player.currentItem === all[2])
        #expect(player.currentTime() == ms(500))
        player.remove(all[2])
        #expect(player.currentItem == nil)
        player.remove(all[2])
    }

    @Test("removeAllItems stops playback and keeps the rate (R-QUEUE-05)")
    func removingAll() {
        let all = [rig.item("a"), rig.item("b")]
        let player = rig.queue(all)
        player.play()
        rig.advance(0.5)
        player.removeAllItems()
        rig.advance(1)
        #expect(player.items().isEmpty)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(player.currentTime() == .zero)
        #expect(all.map { $0.canBeAssociated } == [true, true])
    }

    @Test("an item is inserted after the given one, and canInsert is false for items that insert refuses (R-QUEUE-04)")
    func inserting() {
        let all = [rig.item("a"), rig.item("b")]
        let player = rig.queue(all)
        let new = rig.item("c")
        #expect(player.canInsert(new, after: all[0]))
        #expect(!player.canInsert(all[1], after: nil))
        #expect(!player.canInsert(new, after: rig.item("d")))
        player.insert(new, after: all[0])
        #expect(player.items() == [all[0], new, all[1]])
    }

    @Test("an item inserted after the current one during its last rendered frames still plays next, without a gap")
    func insertingLate() {
        let last = rig.item("c", seconds: 1)
        let middle = rig.item("b", seconds: 1)
        let player = rig.queue([rig.item("a", seconds: 1), last])
        player.play()
        rig.advance(0.9)
        player.insert(middle, after: player.currentItem)
        rig.advance(0.5)
        #expect(player.currentItem === middle)
        rig.advance(1)
        #expect(player.currentItem === last)
        #expect(player.currentTime() == ms(400))
    }

    @Test("a failed item changes its status before it is skipped, and the rate stays (R-QUEUE-07)")
    func skipping() {
        let bad = rig.item(of: "missing")
        let good = rig.item("b")
        let player = rig.queue([bad, good])
        let log = Recorder()
        log.observe(bad, "bad", \.status)
        let token = player.observe(\.currentItem) { _, _ in log.add("advanced") }
        player.play()
        rig.advance(1)
        #expect(bad.status == .failed)
        #expect(player.currentItem === good)
        #expect(player.currentTime() == ms(1_000))
        #expect(log.log == ["bad=failed", "advanced"])
        token.invalidate()
    }

    @Test("a failed upcoming item is removed from the queue before it is reached (R-QUEUE-07)")
    func skippingLater() {
        let bad = rig.item(of: "missing")
        let good = rig.item("c")
        let player = rig.queue([rig.item("a", seconds: 1), bad, good])
        player.play()
        rig.advance(0.5)
        #expect(player.items().count == 2)
        rig.advance(1)
        #expect(player.currentItem === good)
        #expect(player.currentTime() == ms(500))
    }

    @Test("replacing the current item keeps the following ones (R-REPL-01)")
    func replacing() {
        let player = rig.queue([rig.item("a"), rig.item("b", seconds: 1)])
        player.play()
        rig.advance(1)
        let new = rig.item("c", seconds: 1)
        player.replaceCurrentItem(with: new)
        rig.advance(0.5)
        #expect(player.items().count == 2)
        #expect(player.currentTime() == ms(500))
        rig.advance(1)
        #expect(player.items().count == 1)
    }

    @Test("a pending seek completes with false when the next item begins, and no item is skipped (R-SEEK-03, R-QUEUE-11)")
    func seekAtJoint() {
        let second = rig.item("b")
        let player = rig.queue([rig.item("a", seconds: 1), second])
        player.play()
        rig.advance(0.99)
        rig.engine.holdsSeeks = true
        let log = Recorder()
        player.seek(to: ms(500)) { log.add("\($0)") }
        rig.advance(0.5)
        #expect(log.log == ["false"])
        #expect(player.currentItem === second)
    }

    @Test("a copy of an item plays the same asset a second time (R-ITEM-02)")
    func copies() {
        let first = rig.item("a", seconds: 1)
        first.forwardPlaybackEndTime = ms(500)
        let second = first.duplicate()
        let player = rig.queue([first, second])
        player.play()
        rig.advance(0.75)
        #expect(second.asset == first.asset)
        #expect(player.currentItem === second)
        #expect(player.currentTime() == ms(250))
    }

    @Test("a start time set on an upcoming item is its beginning (R-ITEM-03)")
    func startOfWaiting() {
        let second = rig.item("b")
        let player = rig.queue([rig.item("a", seconds: 1), second])
        player.play()
        rig.advance(0.5)
        second.seek(to: ms(3_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.advance(1)
        #expect(player.currentItem === second)
        #expect(player.currentTime() == ms(3_500))
    }
}
