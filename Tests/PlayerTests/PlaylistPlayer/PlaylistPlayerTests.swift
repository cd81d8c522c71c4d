import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

@Suite("PlaylistPlayer") @MainActor struct PlaylistPlayerTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }

    @Test("initially the player is paused, without item and output")
    func initially() {
        #expect(state == PlayerState())
        #expect(player.currentTime().rate == 0)
    }

    @Test("setItem with play shows the item with status unknown at once, and ready and playing with its metadata later")
    func setItem() async throws {
        rig.rig.add(
            "song",
            ScriptedMedium(
                seconds: 10,
                metadata: [
                    MetadataEntry(key: "title", value: "Song"), MetadataEntry(key: "artist", value: "Somebody"),
                    MetadataEntry(key: "album", value: "Record"),
                ],
                artwork: Artwork(mimeType: "image/png", data: [1, 2, 3])))
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec(of: "song"), play: true, startTime: nil)) else {
            Issue.record("no item")
            return
        }
        #expect(state.currentItem?.id == id)
        #expect(state.currentItem?.status == .unknown)
        #expect(state.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        rig.rig.run()
        let item = try #require(state.currentItem)
        #expect(item.status == .readyToPlay && item.title == "Song" && item.artist == "Somebody" && item.album == "Record")
        #expect(item.duration == 10 && item.isSeekable && item.hasArtwork && item.url == "file:///song")
        #expect(
            item.format == PlayerState.Format(fileType: "wav", codec: "pcm_s16le", sampleRate: 1_000, channels: 2, bitsPerSample: 16, bitRate: nil))
        #expect(player.artwork(itemID: id)?.data == [1, 2, 3])
        #expect(state.timeControlStatus == .playing && state.rate == 1)
        #expect(state.queue == PlayerState.QueuePosition(revision: 1, count: 1, index: 0))
    }

    @Test("a title given by the remote takes precedence over the tag")
    func givenTitle() async throws {
        rig.rig.add("song", ScriptedMedium(seconds: 10, metadata: [MetadataEntry(key: "title", value: "Tag")]))
        try await rig.perform(.setItem(rig.spec(of: "song", title: "Given"), play: nil, startTime: nil))
        rig.rig.run()
        #expect(state.currentItem?.title == "Given")
    }

    @Test("a title or an album with several values is one text (R-ASSET-21)")
    func severalValues() async throws {
        let tags = [("title", "Symphony"), ("title", "Allegro"), ("album", "One"), ("album", "Two")]
        rig.rig.add("song", ScriptedMedium(seconds: 10, metadata: tags.map { MetadataEntry(key: $0.0, value: $0.1) }))
        try await rig.perform(.setItem(rig.spec(of: "song"), play: nil, startTime: nil))
        rig.rig.run()
        #expect(state.currentItem?.title == "Symphony, Allegro" && state.currentItem?.album == "One, Two")
    }

    @Test("setItem without play keeps the requested rate (R-REPL-02)", arguments: [nil, true, false])
    func keepsRate(play: Bool?) async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(1)
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.rate = 1.5; return update
                }()))
        rig.clear()
        try await rig.perform(.setItem(rig.spec("b"), play: play, startTime: nil))
        rig.rig.advance(1)
        #expect(state.rate == (play == false ? 0 : 1.5))
        #expect(player.currentTime().currentTime == (play == false ? 0 : 1.5))
        let paused = play == false ? [PlayerEvent.rateDidChange(rate: 0, reason: .setRateCalled, origin: "test")] : []
        #expect(rig.events.filter { if case .rateDidChange = $0 { true } else { false } } == paused)
    }

    @Test("an item starts at its start time (R-ITEM-03)")
    func startTime() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: 4))
        rig.rig.advance(1)
        #expect(player.currentTime().currentTime == 5)
    }

    @Test("pause and play keep the position, and each gives one state with reason and origin")
    func pauseAndPlay() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(2)
        rig.clear()
        try await rig.perform(.pause, origin: "phone")
        rig.rig.run()
        #expect(rig.states.count == 1)
        #expect(rig.states.last?.lastChange == PlayerState.Change(reason: .setRateCalled, origin: "phone"))
        #expect(rig.states.last?.anchor.rate == 0 && rig.states.last?.anchor.time == 2)
        #expect(rig.events == [.rateDidChange(rate: 0, reason: .setRateCalled, origin: "phone")])
        rig.rig.advance(5)
        try await rig.perform(.toggle, origin: "desk")
        rig.rig.advance(1)
        #expect(rig.states.count == 2)
        #expect(player.currentTime().currentTime == 3)
    }

    @Test("a command that changes nothing gives no state and no event (R-RATE-10)")
    func noChange() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(1)
        rig.clear()
        try await rig.perform(.play(rate: nil))
        try await rig.perform(.update(PlayerUpdate()))
        rig.rig.advance(1)
        #expect(rig.states.isEmpty)
        #expect(rig.events.isEmpty)
    }

    @Test("the position can be computed from the anchor until the next discontinuity, and no state is sent in between")
    func anchor() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 100), play: true, startTime: nil))
        rig.rig.run()
        let anchor = state.anchor
        #expect(anchor.rate == 1)
        rig.clear()
        rig.rig.advance(35)
        #expect(rig.states.isEmpty)
        let now = player.currentTime()
        #expect(abs(anchor.time + (now.hostTime - anchor.hostTime) * anchor.rate - now.currentTime) < 0.000_5)
        try await rig.perform(.play(rate: 2))
        #expect(state.anchor.rate == 2)
        #expect(abs(state.anchor.time - 35) < 0.002)
    }

    @Test("if the device's clock drifts, the anchor is corrected and lastChange is kept")
    func drift() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 100), play: true, startTime: nil))
        rig.rig.advance(5)
        let before = (anchor: state.anchor, change: state.lastChange)
        rig.clear()
        let sink = rig.rig.engine.sink
        sink.playhead.frame -= 30
        rig.rig.advance(10)
        #expect(rig.states.count == 1)
        #expect(state.anchor != before.anchor)
        #expect(rig.states.map(\.lastChange) == [before.change])
    }

    @Test("clear empties the playlist and keeps the rate, and the next item plays automatically (R-QUEUE-05, R-REPL-02)")
    func clearing() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(1)
        try await rig.perform(.clear)
        #expect(state.currentItem == nil)
        #expect(state.queue.index == -1 && state.queue.count == 0)
        #expect(state.reasonForWaitingToPlay == .noItemToPlay)
        try await rig.perform(.setItem(rig.spec("b"), play: nil, startTime: nil))
        rig.rig.advance(1)
        #expect(player.currentTime().currentTime == 1)
    }

    @Test("settings are shown in the state and sent to the engine")
    func settings() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: nil, startTime: nil))
        rig.rig.run()
        rig.clear()
        var update = PlayerUpdate()
        update.volume = 0.3
        update.isMuted = true
        update.defaultRate = 1.1
        update.audioTimePitchAlgorithm = .spectral
        update.repeatMode = .one
        update.isShuffled = true
        update.automaticallyWaitsToMinimizeStalling = false
        update.actionAtItemEnd = .pause
        try await rig.perform(.update(update), origin: "phone")
        #expect(rig.states.count == 1)
        #expect(state.volume == 0.3 && state.isMuted && state.defaultRate == 1.1 && state.audioTimePitchAlgorithm == .spectral)
        #expect(state.repeatMode == .one && state.isShuffled && !state.automaticallyWaitsToMinimizeStalling && state.actionAtItemEnd == .pause)
        #expect(state.lastChange == PlayerState.Change(reason: .settingsChanged, origin: "phone"))
        #expect(rig.rig.engine.commands.contains { if case .configure(let sent) = $0 { sent.volume == 0.3 && sent.isMuted } else { false } })
        #expect(rig.rig.engine.values(of: \.pitchAlgorithm).contains(.spectral))
    }

    @Test("a stall is reported as playbackStalled and as a state, and the rate stays (R-TCS-04)")
    func stall() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(1)
        rig.clear()
        let engine = rig.rig.engine
        engine.cutTimeline(after: 100)
        engine.emit(
            .bufferChanged(
                engine.currentItem ?? ItemID(rawValue: 0), BufferLevel(seconds: 0.1, isEmpty: false, isFull: false, isLikelyToKeepUp: false)))
        rig.rig.advance(1)
        #expect(rig.events == [.playbackStalled(itemID: state.currentItem?.id ?? "")])
        #expect(state.rate == 1 && state.reasonForWaitingToPlay == .toMinimizeStalls)
        #expect(rig.states.last?.lastChange == PlayerState.Change(reason: .playbackStalled, origin: "player"))
        #expect(rig.states.last?.anchor.rate == 0)
    }

    @Test("time observers are called with the heard time, and not after cancellation (R-PTO-01)")
    func observing() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: nil, startTime: nil))
        rig.rig.run()
        var times: [Double] = []
        let observation = player.observeTime(every: 0.5) { times.append($0.currentTime) }
        try await rig.perform(.play(rate: 2))
        rig.rig.advance(1.001)
        #expect(times == [0, 0.5, 1, 1.5, 2])
        observation.cancel()
        observation.cancel()
        rig.rig.advance(1)
        #expect(times.count == 5)
    }

    @Test("waitUntilLoaded ends if the item is no longer current, was removed, or the task is cancelled")
    func waiting() async throws {
        rig.rig.add("slow", ScriptedMedium(seconds: 5, isHeld: true))
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec(of: "slow"), play: nil, startTime: nil)) else { return }
        let cancelled = Task { @MainActor in await player.waitUntilLoaded(itemID: id) }
        let waiting = Task { @MainActor in await player.waitUntilLoaded(itemID: id) }
        await Task.yield()
        cancelled.cancel()
        #expect(await cancelled.value?.status == .unknown)
        try await rig.perform(.setItem(rig.spec("b"), play: nil, startTime: nil))
        #expect(await waiting.value == nil)
        #expect(await player.waitUntilLoaded(itemID: "nothing") == nil)
    }

    @Test("an interruption and its end are shown in the state, with the reason (R-INT-06)")
    func interruption() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(1)
        #expect(state.audioSession == PlayerState.AudioSessionSummary(category: .playback, isActive: true, isInterrupted: false))
        rig.clear()
        rig.rig.session.handle(.interruptionBegan(.default))
        rig.rig.run()
        #expect(rig.states.count == 1)
        #expect(state.audioSession.isInterrupted && !state.audioSession.isActive && state.rate == 0)
        #expect(rig.states.last?.lastChange == PlayerState.Change(reason: .audioSessionInterrupted, origin: "player"))
        #expect(
            rig.events == [
                .rateDidChange(rate: 0, reason: .audioSessionInterrupted, origin: "player"), .interruption(.began(reason: .default)),
            ])
        rig.rig.session.handle(.interruptionEnded(shouldResume: true))
        rig.rig.advance(1)
        #expect(state.rate == 1 && !state.audioSession.isInterrupted)
    }

    @Test("after shutDown, a wait for an item, a seek and a preroll end at once")
    func afterShutDown() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: false, startTime: nil))
        rig.rig.run()
        rig.rig.add("slow", ScriptedMedium(seconds: 5, isHeld: true))
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec(of: "slow"), play: false, startTime: nil)) else { return }
        player.shutDown()
        #expect(await player.waitUntilLoaded(itemID: id) == nil)
        let moved = await player.player.seek(to: CMTime(seconds: 1, preferredTimescale: 1000))
        let isPrimed = await player.player.preroll(atRate: 1)
        #expect(!moved && !isPrimed)
        #expect(rig.rig.scheduler.scheduledCount == 0)
    }

    @Test("after shutDown, an edit of the queue is refused, because it would not be kept")
    func editAfterShutDown() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: false, startTime: nil))
        player.shutDown()
        await #expect(throws: PlayerRefusal.shutDown) { try await rig.perform(.setItem(rig.spec("b"), play: false, startTime: nil)) }
        #expect(state.queue.count == 1)
    }

    @Test("shutDown stops the engine and ends all waits")
    func shutDown() async throws {
        rig.rig.add("slow", ScriptedMedium(seconds: 5, isHeld: true))
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec(of: "slow"), play: true, startTime: nil)) else { return }
        let waiting = Task { @MainActor in await player.waitUntilLoaded(itemID: id) }
        let seeking = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(1))), origin: "test") }
        await Task.yield()
        let engine = rig.rig.engine
        player.shutDown()
        #expect(engine.isShutDown)
        #expect(await waiting.value == nil)
        _ = try await seeking.value
        #expect(rig.rig.scheduler.scheduledCount == 0)
    }
}
