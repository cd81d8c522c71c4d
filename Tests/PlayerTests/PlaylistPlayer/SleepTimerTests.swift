import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

@Suite("Sleep timer") @MainActor struct SleepTimerTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }

    private func play(_ names: String..., repeatMode: PlaylistMachine.RepeatMode? = nil) async throws {
        try await rig.perform(.setQueue(names.map { rig.spec($0) }, play: true))
        if let repeatMode {
            var update = PlayerUpdate()
            update.repeatMode = repeatMode
            try await rig.perform(.update(update))
        }
        rig.rig.run()
    }

    @Test("after the time has passed, playback is paused with origin player, and the timer is off")
    func time() async throws {
        try await play("a")
        try await rig.perform(.setSleepTimer(.after(seconds: 3)), origin: "phone")
        #expect(state.sleepTimer.kind == .time)
        #expect(state.sleepTimer.hostTime == rig.rig.clock.now.seconds + 3)
        #expect(state.lastChange == PlayerState.Change(reason: .sleepTimer, origin: "phone"))
        rig.rig.advance(2.9)
        #expect(state.timeControlStatus == .playing)
        rig.rig.advance(0.2)
        #expect(state.timeControlStatus == .paused)
        #expect(state.sleepTimer == PlayerState.SleepTimer())
        #expect(state.lastChange == PlayerState.Change(reason: .sleepTimer, origin: "player"))
    }

    @Test("a new timer replaces the former one, and a cancelled timer does nothing")
    func replaced() async throws {
        try await play("a")
        try await rig.perform(.setSleepTimer(.after(seconds: 1)))
        try await rig.perform(.setSleepTimer(.after(seconds: 5)))
        rig.rig.advance(2)
        #expect(state.timeControlStatus == .playing)
        try await rig.perform(.setSleepTimer(.off))
        rig.rig.advance(4)
        #expect(state.timeControlStatus == .playing)
        #expect(state.sleepTimer.kind == .off)
    }

    @Test("a timer that ends while paused is off and has no other effect")
    func whilePaused() async throws {
        try await play("a")
        try await rig.perform(.pause)
        try await rig.perform(.setSleepTimer(.after(seconds: 1)))
        rig.rig.advance(2)
        #expect(state.sleepTimer.kind == .off)
        #expect(state.rate == 0)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.timeControlStatus == .playing)
    }

    @Test("at the end of the item playback pauses, and play continues with the next one", arguments: [nil, PlaylistMachine.RepeatMode.all, .one])
    func endOfItem(repeatMode: PlaylistMachine.RepeatMode?) async throws {
        try await play("a", "b", repeatMode: repeatMode)
        let first = state.currentItem?.id
        try await rig.perform(.setSleepTimer(.atEndOfItem))
        rig.rig.advance(10.5)
        #expect(state.currentItem?.id == first)
        #expect(state.timeControlStatus == .paused)
        #expect(state.sleepTimer.kind == .off)
        #expect(state.lastChange.reason == .sleepTimer)
        #expect(rig.events.contains { if case .didPlayToEndTime(let id) = $0 { id == first } else { false } })
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.timeControlStatus == .playing)
        #expect((state.currentItem?.id == first) == (repeatMode == .one))
    }

    @Test("after cancellation the next item follows as usual")
    func calledOff() async throws {
        try await play("a", "b")
        let first = state.currentItem?.id
        try await rig.perform(.setSleepTimer(.atEndOfItem))
        rig.rig.advance(5)
        try await rig.perform(.setSleepTimer(.off))
        rig.rig.advance(6)
        #expect(state.currentItem?.id != first)
        #expect(state.timeControlStatus == .playing)
    }

    @Test("a timer for the end of the item applies to the item that is current then, also after next")
    func skipped() async throws {
        try await play("a", "b", "c")
        try await rig.perform(.setSleepTimer(.atEndOfItem))
        try await rig.perform(.next)
        rig.rig.advance(10.5)
        #expect(state.queue.index == 1)
        #expect(state.timeControlStatus == .paused)
    }

    @Test("a timer for the end of the item is refused without an item")
    func noItem() async throws {
        await #expect(throws: PlayerRefusal.noItem) { try await rig.perform(.setSleepTimer(.atEndOfItem)) }
        #expect(state.sleepTimer.kind == .off)
        try await rig.perform(.setSleepTimer(.after(seconds: 1)))
        rig.rig.advance(2)
        #expect(state.sleepTimer.kind == .off)
    }

    @Test("no timer fires after shutDown")
    func shutDown() async throws {
        try await play("a")
        try await rig.perform(.setSleepTimer(.after(seconds: 1)))
        player.shutDown()
        rig.rig.run()
        let count = rig.states.count
        rig.rig.advance(5)
        #expect(rig.states.count == count)
    }

    // MARK: Items

    @Test("after two items playback pauses at the end of the second, the third does not start, and the timer counts down")
    func items() async throws {
        try await play("a", "b", "c")
        try await rig.perform(.setSleepTimer(.afterItems(2)))
        #expect(state.sleepTimer == PlayerState.SleepTimer(kind: .items, remainingItems: 2))
        rig.rig.advance(10.5)
        #expect(state.queue.index == 1)
        #expect(state.timeControlStatus == .playing)
        #expect(state.sleepTimer.remainingItems == 1)
        rig.rig.advance(10.5)
        #expect(state.queue.index == 1)
        #expect(state.timeControlStatus == .paused)
        #expect(state.sleepTimer == PlayerState.SleepTimer())
        #expect(state.lastPause?.reason == .sleepTimer)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.queue.index == 2)
    }

    @Test("one item is the end of the current item")
    func oneItem() async throws {
        try await play("a", "b")
        try await rig.perform(.setSleepTimer(.afterItems(1)))
        rig.rig.advance(10.5)
        #expect(state.queue.index == 0)
        #expect(state.timeControlStatus == .paused)
    }

    @Test("an item that a client leaves before its end does not count")
    func leftItem() async throws {
        try await play("a", "b", "c", "d")
        try await rig.perform(.setSleepTimer(.afterItems(2)))
        try await rig.perform(.next)
        rig.rig.run()
        #expect(state.sleepTimer.remainingItems == 2)
        rig.rig.advance(10.5)
        #expect(state.queue.index == 2)
        #expect(state.timeControlStatus == .playing)
        rig.rig.advance(10.5)
        #expect(state.queue.index == 2)
        #expect(state.timeControlStatus == .paused)
    }

    @Test("a repeated item counts each time", arguments: [PlaylistMachine.RepeatMode.one, .all])
    func repeatedItem(repeatMode: PlaylistMachine.RepeatMode) async throws {
        try await play("a", repeatMode: repeatMode)
        try await rig.perform(.setSleepTimer(.afterItems(3)))
        rig.rig.advance(29)
        #expect(state.timeControlStatus == .playing)
        #expect(state.sleepTimer.remainingItems == 1)
        rig.rig.advance(2)
        #expect(state.timeControlStatus == .paused)
        #expect(state.sleepTimer.kind == .off)
    }

    @Test("the end of the queue switches a timer that counts items off")
    func fewerItems() async throws {
        try await play("a", "b")
        try await rig.perform(.setSleepTimer(.afterItems(5)))
        rig.rig.advance(21)
        #expect(state.timeControlStatus == .paused)
        #expect(state.sleepTimer.kind == .off)
    }

    @Test("a timer that counts items is refused without an item")
    func noItemToCount() async throws {
        await #expect(throws: PlayerRefusal.noItem) { try await rig.perform(.setSleepTimer(.afterItems(2))) }
    }

    // MARK: Chapters

    private func playChapters() async throws {
        var medium = ScriptedMedium(seconds: 30)
        medium.info.chapters = [
            MediaChapter(title: "1", start: 0, end: 10), MediaChapter(title: "2", start: 10, end: 20), MediaChapter(title: "3", start: 20, end: 30),
        ]
        rig.rig.add("book", medium)
        try await rig.perform(.setQueue([rig.spec(of: "book"), rig.spec("b")], play: true))
        rig.rig.run()
    }

    @Test("at the end of the chapter that is heard playback pauses, and the timer is off")
    func endOfChapter() async throws {
        try await playChapters()
        try await rig.perform(.setSleepTimer(.atEndOfChapter))
        #expect(state.sleepTimer == PlayerState.SleepTimer(kind: .endOfChapter))
        rig.rig.advance(9.9)
        #expect(state.rate == 1)
        rig.rig.advance(1)
        #expect(state.rate == 0)
        #expect(abs(rig.player.currentTime().currentTime - 10) < 0.05)
        #expect(state.sleepTimer.kind == .off)
        #expect(state.lastPause?.reason == .sleepTimer)
    }

    @Test("after a seek the pause is at the end of the chapter that is heard then")
    func otherChapter() async throws {
        try await playChapters()
        try await rig.perform(.setSleepTimer(.atEndOfChapter))
        _ = try await rig.seek(.time(15))
        rig.rig.advance(4)
        #expect(state.rate == 1)
        rig.rig.advance(1.5)
        #expect(state.rate == 0)
        #expect(abs(rig.player.currentTime().currentTime - 20) < 0.05)
    }

    @Test("the last chapter ends with the item, and the next item does not start")
    func lastChapter() async throws {
        try await playChapters()
        let id = state.currentItem?.id
        _ = try await rig.seek(.time(25))
        try await rig.perform(.setSleepTimer(.atEndOfChapter))
        rig.rig.advance(6)
        #expect(state.rate == 0)
        #expect(state.currentItem?.id == id)
        #expect(state.sleepTimer.kind == .off)
    }

    @Test("in an item without chapters the timer pauses at the end of the item")
    func noChapters() async throws {
        try await play("a", "b")
        let id = state.currentItem?.id
        try await rig.perform(.setSleepTimer(.atEndOfChapter))
        rig.rig.advance(11)
        #expect(state.rate == 0)
        #expect(state.currentItem?.id == id)
    }
}
