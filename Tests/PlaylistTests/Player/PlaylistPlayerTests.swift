import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Playlist

/// A playlist player on a scripted engine, with a record of its states and events.
@MainActor final class PlaylistRig {
    let rig: ScriptedRig
    let player: PlaylistPlayer
    private(set) var states: [PlayerState] = []
    private(set) var events: [PlayerEvent] = []
    private var observation: ObservationToken?

    init(canReverse: Bool = false) {
        rig = ScriptedRig(canReverse: canReverse)
        player = PlaylistPlayer(environment: rig.environment, seed: 1)
        observation = player.observe { [weak self] notice in
            switch notice {
            case .state(let state): self?.states.append(state)
            case .event(let event): self?.events.append(event)
            }
        }
    }

    func clear() {
        states = []
        events = []
    }

    /// Adds a medium to the scripted engine, and returns the spec of an entry that plays it.
    func spec(_ name: String, seconds: Double = 10) -> EntrySpec {
        rig.add(name, ScriptedMedium(seconds: seconds))
        return spec(of: name)
    }
    func spec(of name: String, title: String? = nil) -> EntrySpec {
        EntrySpec(source: MediaSource(.file(path: "/" + name)), url: "file:///" + name, title: title)
    }

    @discardableResult func perform(_ command: PlayerCommand, origin: String = "test") async throws(PlayerRefusal) -> PlayerReply {
        try await player.perform(command, origin: origin)
    }

    /// Appends entries, and returns their ids.
    @discardableResult func append(_ specs: [EntrySpec]) async throws(PlayerRefusal) -> [String] {
        guard case .entries(let ids) = try await perform(.insert(specs, at: .end, play: false)) else { return [] }
        return ids
    }

    /// Seeks, and runs the turns of the main actor that the engine's answer needs.
    func seek(_ target: SeekCommand.Target, tolerance: SeekCommand.Tolerance = .exact) async throws -> PlayerReply {
        let task = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: target, tolerance: tolerance)), origin: "test") }
        await Task.yield()
        rig.run()
        return try await task.value
    }
}

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

    @Test("at the end of the last entry the player is paused and ended at the duration; play starts the entry again")
    func ended() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 3), play: true, startTime: nil))
        rig.rig.advance(2)
        let id = state.currentItem?.id
        rig.clear()
        rig.rig.advance(5)
        #expect(rig.states.count == 1)
        #expect(state.ended && state.rate == 0 && state.timeControlStatus == .paused)
        #expect(state.currentItem?.id == id)
        #expect(state.currentItem?.status == .readyToPlay)
        #expect(state.anchor.time == 3 && state.anchor.rate == 0)
        #expect(state.lastChange == PlayerState.Change(reason: .didPlayToEndTime, origin: "player"))
        #expect(rig.events == [.rateDidChange(rate: 0, reason: .none, origin: "player"), .didPlayToEndTime(itemID: id ?? "")])
        try await rig.perform(.play(rate: nil))
        #expect(!state.ended)
        rig.rig.advance(1)
        #expect(player.currentTime().currentTime == 1)
        #expect(state.timeControlStatus == .playing)
        rig.rig.advance(5)
        #expect(state.ended)
    }

    @Test("play opens an ended entry again if it is not seekable")
    func endedUnseekable() async throws {
        rig.rig.add("pipe", ScriptedMedium(seconds: 2, isSeekable: false))
        try await rig.perform(.setItem(rig.spec(of: "pipe"), play: true, startTime: nil))
        rig.rig.advance(3)
        #expect(state.ended)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(!state.ended)
        #expect(player.currentTime().currentTime == 1)
    }

    @Test("entries follow each other without a gap, and the state follows the heard entry (R-QUEUE-06, R-QUEUE-10)")
    func following() async throws {
        let ids = try await rig.append([rig.spec("a", seconds: 2), rig.spec("b", seconds: 0.3), rig.spec("c", seconds: 4)])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1.9)
        #expect(state.currentItem?.id == ids[0])
        rig.clear()
        rig.rig.advance(0.2)
        #expect(state.currentItem?.id == ids[1])
        let summary = QueueSummary(revision: 1, count: 3, currentID: ids[1], nextID: ids[2])
        let undo = RevertibleEdits(undo: QueueEdit(kind: .insert, count: 3, origin: "test"))
        let update = QueueUpdate(summary: summary, previousRevision: 1, edits: undo)
        #expect(rig.events.prefix(2) == [.didPlayToEndTime(itemID: ids[0]), .queueDidChange(update)])
        rig.rig.advance(0.4)
        #expect(state.currentItem?.id == ids[2])
        #expect(abs(player.currentTime().currentTime - 0.2) < 0.001)
        #expect(state.queue.index == 2)
        #expect(rig.rig.engine.commands.filter { if case .setRunning = $0 { true } else { false } }.count == 1, "the device must not stop")
    }

    struct NoEvent: Error {}

    @Test("a failed last entry stays current: paused, with its error (R-WAIT-07)")
    func failing() async throws {
        rig.rig.add("bad", ScriptedMedium(seconds: nil, failure: PlaybackError(.unsupportedFormat, "This is no media file.")))
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec(of: "bad"), play: true, startTime: nil)) else { return }
        async let loaded = player.waitUntilLoaded(itemID: id)
        await Task.yield()
        rig.rig.run()
        let item = await loaded
        #expect(item?.status == .failed)
        #expect(item?.error == PlayerState.Failure(code: .unsupportedFormat, message: "This is no media file."))
        #expect(state.currentItem == item)
        #expect(state.rate == 0 && state.timeControlStatus == .paused)
        #expect(rig.events.contains(.rateDidChange(rate: 0, reason: .setRateFailed, origin: "player")))
        guard case .queueDidChange(let update)? = rig.events.last(where: { if case .queueDidChange = $0 { true } else { false } }) else {
            throw NoEvent()
        }
        #expect(update.summary == QueueSummary(revision: 1, count: 1, currentID: id))
        #expect(update.changes == item.map { [.update(index: 0, count: 1, entries: [$0])] })
        // The file exists now, so play opens the entry again.
        rig.rig.add("bad", ScriptedMedium(seconds: 5))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.currentItem?.status == .readyToPlay)
        #expect(player.currentTime().currentTime == 1)
    }

    @Test("a failed entry is skipped if another one follows, and not retried automatically (R-QUEUE-07)")
    func skipping() async throws {
        let ids = try await rig.append([rig.spec("a", seconds: 2), rig.spec(of: "missing"), rig.spec("c", seconds: 2)])
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.repeatMode = .all; return update
                }()))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(await player.waitUntilLoaded(itemID: ids[1])?.error?.code == .fileNotFound)
        rig.rig.advance(1.5)
        #expect(state.currentItem?.id == ids[2])
        rig.rig.advance(2)
        #expect(state.currentItem?.id == ids[0])
        #expect(state.timeControlStatus == .playing)
        #expect(rig.rig.scheduler.scheduledCount < 10)
    }

    @Test("a playlist without any playable entry stops")
    func allFailing() async throws {
        try await rig.append([rig.spec(of: "x"), rig.spec(of: "y"), rig.spec(of: "z")])
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.repeatMode = .all; return update
                }()))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(10)
        #expect(state.rate == 0)
        #expect(state.currentItem?.status == .failed)
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

    @Test("the repeat mode one plays the same entry again without a gap")
    func repeatOne() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 2), play: true, startTime: nil))
        try await rig.perform(
            .update(
                {
                    var update = PlayerUpdate(); update.repeatMode = .one; return update
                }()))
        rig.rig.advance(3)
        #expect(player.currentTime().currentTime == 1)
        #expect(state.queue.count == 1 && !state.ended)
        #expect(rig.events.contains { if case .didPlayToEndTime = $0 { true } else { false } })
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

    @Test("next, previous, jump, remove and move are performed, or refused if there is no such entry")
    func navigating() async throws {
        let ids = try await rig.append(["a", "b", "c"].map { rig.spec($0) })
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        try await rig.perform(.next)
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[1])
        #expect(player.currentTime().currentTime == 1)
        try await rig.perform(.playEntry(ids[2]))
        await #expect(throws: PlayerRefusal.noNextEntry) { try await rig.perform(.next) }
        try await rig.perform(.previous)
        rig.rig.run()
        #expect(state.currentItem?.id == ids[1])
        try await rig.perform(.removeEntry(ids[1]))
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[2])
        #expect(player.currentTime().currentTime == 1)
        try await rig.perform(.moveEntry(ids[2], to: 0))
        #expect(state.queue.index == 0)
        await #expect(throws: PlayerRefusal.noEntry) { try await rig.perform(.playEntry(ids[1])) }
    }

    @Test("after the end, play continues with an entry appended since")
    func appendedAfterEnd() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 1), play: true, startTime: nil))
        rig.rig.advance(2)
        #expect(state.ended)
        let ids = try await rig.append([rig.spec("b")])
        #expect(!state.ended && state.rate == 0)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[0])
        #expect(player.currentTime().currentTime == 1)
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

    @Test("boundary observers are called when playback crosses a time, and not after cancellation (R-BTO-01)")
    func boundaries() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: nil, startTime: nil))
        rig.rig.run()
        var times: [Double] = []
        let observation = player.observeBoundaries(at: [0.75, 1.5, 0.25]) { times.append($0.currentTime) }
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(times == [0.25, 0.75])
        observation.cancel()
        rig.rig.advance(1)
        #expect(times.count == 2)
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

@Suite("PlaylistPlayer: seeks") @MainActor struct PlaylistSeekTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }

    func load(seconds: Double = 10) async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: seconds), play: false, startTime: nil))
        rig.rig.run()
    }

    @Test("a seek is answered after its landing, and gives one state with its origin (R-SEEK-13)")
    func landing() async throws {
        try await load()
        rig.clear()
        #expect(try await rig.seek(.time(3.25)) == .seek(finished: true, time: 3.25, requested: 3.25))
        rig.rig.run()
        #expect(rig.states.count == 1)
        #expect(rig.states.last?.lastChange == PlayerState.Change(reason: .seek, origin: "test"))
        #expect(rig.states.last?.anchor.time == 3.25)
        #expect(rig.events == [.timeJumped(itemID: player.state.currentItem?.id ?? "", time: 3.25)])
    }

    @Test(
        "offsets are relative to the heard position and clamped to the ends, and fractions are of the duration",
        arguments: [
            (SeekCommand.Target.offset(2), 6.0), (.offset(-99), 0), (.offset(99), 10), (.fraction(0.25), 2.5), (.fraction(1), 10),
            (.exactTime(value: 7_001, timescale: 1_000), 7.001),
        ])
    func targets(target: SeekCommand.Target, expected: Double) async throws {
        try await load()
        _ = try await rig.seek(.time(4))
        #expect(try await rig.seek(target) == .seek(finished: true, time: expected, requested: expected))
    }

    @Test("a small overshoot is clamped to the end, and a large one is refused (R-SEEK-08, J-2)")
    func overshoot() async throws {
        try await load()
        #expect(try await rig.seek(.time(10.9)) == .seek(finished: true, time: 10, requested: 10))
        #expect(try await rig.seek(.time(-0.5)) == .seek(finished: true, time: 0, requested: 0))
        for target in [SeekCommand.Target.time(11.5), .time(-2), .time(1e300), .exactTime(value: 1, timescale: 0), .fraction(1.5)] {
            await #expect(throws: PlayerRefusal.self) { try await rig.seek(target) }
        }
        #expect(player.currentTime().currentTime == 0)
    }

    @Test("each reason for refusing a seek has its own refusal")
    func refusals() async throws {
        await #expect(throws: PlayerRefusal.noItem) { try await rig.seek(.time(1)) }
        rig.rig.add("pipe", ScriptedMedium(seconds: 10, isSeekable: false))
        try await rig.perform(.setItem(rig.spec(of: "pipe"), play: nil, startTime: nil))
        await #expect(throws: PlayerRefusal.notReady) { try await rig.perform(.seek(SeekCommand(target: .fraction(0.5)))) }
        rig.rig.run()
        await #expect(throws: PlayerRefusal.notSeekable) { try await rig.seek(.time(1)) }
        try await rig.perform(.setItem(rig.spec(of: "missing"), play: nil, startTime: nil))
        rig.rig.run()
        await #expect(throws: PlayerRefusal.itemFailed(PlayerState.Failure(code: .fileNotFound, message: "There is no such file."))) {
            try await rig.seek(.time(1))
        }
    }

    @Test("a newer seek ends an older one with finished false (R-SEEK-02)")
    func superseded() async throws {
        try await load()
        rig.rig.engine.holdsSeeks = true
        let first = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(2))), origin: "one") }
        await Task.yield()
        let second = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(5))), origin: "two") }
        await Task.yield()
        #expect(try await first.value == .seek(finished: false, time: 0, requested: 2))
        rig.rig.engine.completeSeek()
        rig.rig.run()
        #expect(try await second.value == .seek(finished: true, time: 5, requested: 5))
    }

    @Test("a seek before the item is ready waits for it, and is then refused if out of range (R-SEEK-06)")
    func beforeReady() async throws {
        rig.rig.add("slow", ScriptedMedium(seconds: 10, isHeld: true))
        try await rig.perform(.setItem(rig.spec(of: "slow"), play: nil, startTime: nil))
        rig.rig.run()
        let beyond = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(99))), origin: "test") }
        await Task.yield()
        rig.rig.engine.open("/slow")
        rig.rig.run()
        await #expect(throws: PlayerRefusal.outOfRange(end: 10)) { try await beyond.value }
    }

    @Test("tolerances are sent to the engine (R-SEEK-01, R-SEEK-17)")
    func tolerances() async throws {
        try await load()
        _ = try await rig.seek(.time(3), tolerance: .range(before: 0.5, after: 0.25))
        _ = try await rig.seek(.time(4), tolerance: .any)
        let requests = rig.rig.engine.commands.compactMap { if case .seek(let request) = $0 { request } else { nil } }
        #expect(requests.map(\.toleranceBefore) == [CMTime(value: 1, timescale: 2), .positiveInfinity])
        #expect(requests.map(\.toleranceAfter) == [CMTime(value: 1, timescale: 4), .positiveInfinity])
    }
}
