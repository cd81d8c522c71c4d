import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation
@testable import Player

/// An archive that records the states to be written.
private final class RecordingArchive: PlayerArchive {
    private struct Record {
        var players: [SavedPlayer] = []
        var positions: [MediaPosition] = []
    }
    private let record = Mutex(Record())

    var players: [SavedPlayer] { record.withLock { $0.players } }
    var positions: [MediaPosition] { record.withLock { $0.positions } }

    func keep(_ player: SavedPlayer) { record.withLock { $0.players.append(player) } }
    func keep(_ position: MediaPosition, removing urls: [[UInt8]]) { record.withLock { $0.positions.append(position) } }
}

/// A player on a scripted engine, whose state is written to the archive, and the player that is restored from it after a restart.
@MainActor private final class Run {
    let rig = ScriptedRig()
    let archive = RecordingArchive()
    let saver: StateSaver
    let player: PlaylistPlayer

    init(restoring saved: SavedPlayer? = nil, positions: MediaPositions? = nil, media: [(name: String, seconds: Double)] = Run.album) {
        for medium in media { rig.add(medium.name, ScriptedMedium(seconds: medium.seconds)) }
        saver = StateSaver(archive, kept: saved, positions: positions, clock: rig.clock, scheduler: rig.scheduler)
        player = PlaylistPlayer(environment: rig.environment, seed: 1, restoring: saved, saver: saver)
        rig.run()
    }

    static let album = [(name: "a", seconds: 10.0), (name: "b", seconds: 10.0), (name: "book", seconds: 5000.0)]

    func perform(_ command: PlayerCommand) async throws {
        _ = try await player.perform(command, origin: "test")
        rig.run()
    }
    func spec(_ name: String) -> EntrySpec { EntrySpec(source: MediaSource(.file(path: "/" + name)), url: "file:///" + name) }
    func play(_ names: String...) async throws { try await perform(.setQueue(names.map(spec), play: true)) }
    func seek(_ time: Double) async throws {
        let task = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(time))), origin: "test") }
        await Task.yield()
        rig.run()
        _ = try await task.value
        rig.run()
    }
    var last: SavedPlayer? { archive.players.last }
}

@Suite("StateSaver") @MainActor struct StateSaverTests {
    @Test("a command is given to the archive before it is answered")
    func commands() async throws {
        let run = Run()
        _ = try await run.player.perform(.setQueue([run.spec("a"), run.spec("b")], play: nil), origin: "test")
        #expect(run.last?.playlist.entries.map(\.id) == ["e1", "e2"])
        var update = PlayerUpdate()
        update.volume = 0.25
        update.isShuffled = true
        _ = try await run.player.perform(.update(update), origin: "test")
        #expect(run.last?.settings.volume == 0.25)
        #expect(run.last?.playlist.isShuffled == true)
        _ = try await run.player.perform(.next, origin: "test")
        #expect(run.last?.playlist.history.count == 1)
    }

    @Test("during playback the position is kept so often that it is less than a second old, and a pause keeps the exact one")
    func position() async throws {
        let run = Run()
        try await run.play("book")
        var former = run.archive.players.count
        for _ in 1...10 {
            run.rig.advance(1)
            #expect(run.archive.players.count > former)
            former = run.archive.players.count
            let heard = run.player.currentTime().currentTime
            let kept = try #require(run.last?.playhead.time)
            #expect(kept <= heard && heard - kept < 0.9)
        }
        try await run.perform(.pause)
        #expect(run.last?.playhead == SavedPlayer.Playhead(time: run.player.currentTime().currentTime, rate: 0))
    }

    @Test("at twice the rate the position is kept twice as often")
    func fastPosition() async throws {
        let run = Run()
        try await run.play("book")
        run.rig.advance(0.3)
        try await run.perform(.play(rate: 2))
        for _ in 1...5 {
            run.rig.advance(0.45)
            #expect(run.player.currentTime().currentTime - (run.last?.playhead.time ?? 0) < 0.9)
        }
    }

    @Test("while nothing changes, nothing is given to the archive")
    func idle() async throws {
        let run = Run()
        try await run.perform(.setQueue([run.spec("a")], play: false))
        let count = run.archive.players.count
        run.rig.advance(600)
        #expect(run.archive.players.count == count)
    }

    @Test("the last position is kept when the player shuts down, with the rate at which it played")
    func shutDown() async throws {
        let run = Run()
        try await run.play("book")
        run.rig.advance(3.3)
        let heard = run.player.currentTime().currentTime
        run.player.shutDown()
        #expect(run.last?.playhead == SavedPlayer.Playhead(time: heard, rate: 1))
    }

    @Test("a choice of the output is kept, and stays when the player changes")
    func output() async throws {
        let run = Run()
        let choice = OutputChoice(id: "pulse:dac", kind: .pulse, name: "DAC", device: "dac")
        run.saver.setOutput(choice)
        #expect(run.last?.settings.output == choice)
        try await run.play("a")
        #expect(run.last?.settings.output == choice)
    }

    @Test("the position of a long medium is remembered if the option is on")
    func mediaPositions() async throws {
        let run = Run(positions: MediaPositions())
        try await run.play("book", "a")
        try await run.seek(100)
        #expect(run.archive.positions.last?.time == 100)
        try await run.perform(.next)
        #expect(run.archive.positions.allSatisfy { $0.url == Array("file:///book".utf8) })
        let without = Run()
        try await without.play("book")
        try await without.seek(100)
        #expect(without.archive.positions.isEmpty)
    }
}

@Suite("The remembered position of a playing medium") @MainActor struct PlayingPositionTests {
    private let run = Run(positions: MediaPositions(), media: [(name: "book", seconds: 5000.0), (name: "other", seconds: 5000.0)])

    @Test("is saved once a minute")
    func interval() async throws {
        try await run.play("book")
        try await run.seek(100)
        let count = run.archive.positions.count
        run.rig.advance(59)
        #expect(run.archive.positions.count == count)
        run.rig.advance(302)
        #expect((5...6).contains(run.archive.positions.count - count))
        #expect(run.archive.positions.last?.time ?? 0 > 390)
    }

    @Test("is saved exactly when another medium becomes current, and when the player pauses or shuts down")
    func leaving() async throws {
        try await run.play("book", "other")
        try await run.seek(100)
        run.rig.advance(20)
        try await run.perform(.next)
        let left = try #require(run.archive.positions.last { $0.url == Array("file:///book".utf8) }?.time)
        #expect(left > 119 && left < 121)
        try await run.seek(200)
        run.rig.advance(20)
        try await run.perform(.pause)
        #expect(run.archive.positions.last?.time == run.player.currentTime().currentTime)
        try await run.perform(.play(rate: nil))
        run.rig.advance(20)
        run.player.shutDown()
        #expect(run.archive.positions.last?.time ?? 0 > 239)
    }
}

@Suite("A player that is restored") @MainActor struct RestorationTests {
    /// The written state of a player whose settings are not the defaults.
    private func used() async throws -> (run: Run, saved: SavedPlayer) {
        let run = Run()
        try await run.play("a", "b", "book", "a")
        try await run.perform(.moveEntry("e4", to: 0))
        try await run.perform(.playEntry("e3"))
        try await run.seek(1234.5)
        var update = PlayerUpdate()
        update.volume = 0.3
        update.isMuted = true
        update.defaultRate = 1.5
        update.repeatMode = .all
        update.shuffleSeed = 7
        update.crossfadeDuration = 4
        update.loudnessNormalization = .album
        update.audioTimePitchAlgorithm = .spectral
        update.actionAtItemEnd = .pause
        update.automaticallyWaitsToMinimizeStalling = false
        try await run.perform(.update(update))
        try await run.perform(.setOutputRate(.device, device: "dac"))
        return (run, try #require(run.last))
    }

    @Test("stands paused at the position that was heard, with the same entries, ids, order, history and settings")
    func same() async throws {
        let (run, saved) = try await used()
        let new = Run(restoring: saved)
        #expect(new.player.currentTime().currentTime == saved.playhead.time)
        #expect(saved.playhead.time >= 1234.5)
        #expect(new.player.queue.entries.map(\.id) == ["e4", "e1", "e2", "e3"])
        #expect(new.player.queue.history == run.player.queue.history)
        #expect(new.player.playlist.saved.shuffledOrder == run.player.playlist.saved.shuffledOrder)
        var (old, state) = (run.player.state, new.player.state)
        #expect(state.rate == 0 && state.timeControlStatus == .paused)
        #expect(state.currentItem?.id == "e3" && state.currentItem?.status == .readyToPlay)
        #expect(new.player.outputRates == OutputRates(byDevice: ["dac": .device]))
        // All other members of the state are equal.
        for member in [\PlayerState.rate, \.anchor.time, \.anchor.hostTime, \.anchor.rate] as [WritableKeyPath<PlayerState, Double>] {
            old[keyPath: member] = 0
            state[keyPath: member] = 0
        }
        (old.timeControlStatus, old.lastChange, state.lastChange) = (.paused, state.lastChange, state.lastChange)
        (old.audioSession, old.reasonForWaitingToPlay) = (state.audioSession, state.reasonForWaitingToPlay)
        // The facts of the next entry are unknown until its medium is opened. This player opens no medium ahead of time.
        #expect(state.nextEntry?.id == old.nextEntry?.id)
        old.nextEntry = state.nextEntry
        #expect(state == old)
    }

    @Test("removes played entries if it did before, and its first events name no change of the entries")
    func consuming() async throws {
        let run = Run()
        try await run.play("a", "b")
        var update = PlayerUpdate()
        update.isConsuming = true
        try await run.perform(.update(update))
        let new = Run(restoring: run.last)
        #expect(new.player.state.isConsuming)
        var updates: [QueueUpdate] = []
        let token = new.player.observe { if case .event(.queueDidChange(let update)) = $0 { updates.append(update) } }
        try await new.perform(.next)
        token.cancel()
        #expect(new.player.queue.entries.map(\.id) == ["e2"])
        #expect(updates.first?.previousRevision == 1 && updates.first?.changes?.first == .remove(index: 0, count: 1))
    }

    @Test("gives new entries new ids, and continues the random numbers of the shuffle")
    func newIDs() async throws {
        let (run, saved) = try await used()
        let new = Run(restoring: saved)
        for player in [run, new] { try await player.perform(.insert([player.spec("a"), player.spec("b")], at: .end, play: false)) }
        #expect(new.player.queue.entries.map(\.id).suffix(2) == ["e5", "e6"])
        #expect(new.player.playlist.saved.shuffledOrder == run.player.playlist.saved.shuffledOrder)
    }

    @Test("keeps the position until the item is loaded, and if it cannot be loaded")
    func notLoaded() async throws {
        let (_, saved) = try await used()
        let new = Run(restoring: saved, media: [])
        #expect(new.player.currentTime().currentTime == saved.playhead.time)
        #expect(new.archive.players.allSatisfy { $0.playhead.time == saved.playhead.time })
        #expect(new.player.state.currentItem?.status == .failed)
    }

    @Test("goes on playing at the rate that was kept if it is asked to, and not if it was paused")
    func resume() async throws {
        var (_, saved) = try await used()
        saved.playhead.rate = 1.25
        let playing = Run(restoring: saved)
        playing.player.resume(saved)
        playing.rig.run()
        #expect(playing.player.state.rate == 1.25)
        #expect(playing.player.state.timeControlStatus == .playing)
        saved.playhead.rate = 0
        let paused = Run(restoring: saved)
        paused.player.resume(saved)
        #expect(paused.player.state.rate == 0)
    }

    @Test("starts the last entry anew after it had ended")
    func ended() async throws {
        let run = Run()
        try await run.play("a")
        run.rig.advance(11)
        #expect(run.player.state.ended)
        let new = Run(restoring: run.last)
        #expect(new.player.currentTime().currentTime == 0)
        #expect(new.player.state.currentItem?.id == "e1")
    }

    @Test("ignores what contradicts itself: an id twice, an order without entries, numbers out of range")
    func inconsistent() async throws {
        var (_, saved) = try await used()
        saved.playlist.entries.append(saved.playlist.entries[0])
        saved.playlist.shuffledOrder = ["e1", "e1", "e99"]
        saved.playlist.history = ["e99", "e1"]
        saved.playlist.nextNumber = -3
        saved.settings.volume = 7
        saved.settings.defaultRate = .nan
        saved.playhead.time = .infinity
        let new = Run(restoring: saved)
        #expect(new.player.queue.entries.map(\.id) == ["e4", "e1", "e2", "e3"])
        #expect(Set(new.player.playlist.saved.shuffledOrder) == ["e1", "e2", "e3", "e4"])
        #expect(new.player.queue.history == ["e1"])
        #expect(new.player.state.volume == 0.3 && new.player.state.defaultRate == 1)
        try await new.perform(.insert([new.spec("a")], at: .end, play: false))
        #expect(new.player.queue.entries.last?.id == "e5")
    }

    @Test("a volume that cannot be read becomes a safe one, never the full one", arguments: [nil, -0.5, 1.5, .nan] as [Double?])
    func unreadableVolume(_ volume: Double?) async throws {
        var (_, saved) = try await used()
        saved.settings.volume = volume
        #expect(Run(restoring: saved).player.state.volume == 0.3)
        let rig = ScriptedRig()
        let player = PlaylistPlayer(environment: rig.environment, seed: 1, initialVolume: SavedSettings.safeVolume)
        #expect(player.state.volume == 0.3 && player.player.volume == 0.3)
    }

    @Test("a number that leaves none for later entries or revisions is not taken over")
    func exhausted() async throws {
        var (_, saved) = try await used()
        saved.playlist.nextNumber = .max
        saved.playlist.revision = .max
        saved.playlist.entries.append(PlaylistEntry(id: PlaylistEntry.id(ofNumber: .max), spec: saved.playlist.entries[0].spec))
        let new = Run(restoring: saved)
        try await new.perform(.insert([new.spec("a"), new.spec("b")], at: .end, play: false))
        #expect(new.player.queue.entries.count == saved.playlist.entries.count + 1)
        #expect(Set(new.player.queue.entries.map(\.id)).count == saved.playlist.entries.count + 1)
    }

    @Test("a long medium continues where it was left, unless it has another length or a start time was given")
    func mediaPositions() async throws {
        let known = MediaPositions([MediaPosition(url: Array("file:///book".utf8), time: 700, duration: 5000)])
        let run = Run(positions: known)
        try await run.perform(.setItem(run.spec("book"), play: false, startTime: nil))
        #expect(run.player.currentTime().currentTime == 700)
        try await run.perform(.setItem(run.spec("book"), play: false, startTime: 0))
        #expect(run.player.currentTime().currentTime == 0)
        let other = Run(positions: known, media: [(name: "book", seconds: 4000)])
        try await other.perform(.setItem(other.spec("book"), play: false, startTime: nil))
        #expect(other.player.currentTime().currentTime == 0)
    }
}
