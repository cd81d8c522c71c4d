import Dispatch
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The settings of shuffle, transitions, loudness, audio session and outputs, and the inspection of media.
@Suite("PlaylistPlayer: settings") @MainActor struct PlaylistSettingsTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }
    private let device = OutputDescription(kind: "pulse", id: "d", name: "D")

    private func update(_ body: (inout PlayerUpdate) -> Void) async throws {
        var update = PlayerUpdate()
        body(&update)
        try await rig.perform(.update(update))
    }

    // MARK: The order

    /// The entries after the current one, in playback order.
    private func order() -> [String] { player.playlist.upcoming(20).map(\.spec.url) }

    @Test("a shuffle seed always gives the same order, and another seed gives another one")
    func seed() async throws {
        try await rig.perform(.setQueue((0..<12).map { rig.spec("m\($0)") }, play: nil))
        let plain = order()
        try await update { $0.shuffleSeed = 42 }
        #expect(state.isShuffled)
        let first = order()
        #expect(first != plain)
        #expect(Set(first) == Set(plain))
        try await update { $0.shuffleSeed = 43 }
        #expect(order() != first)
        try await update { ($0.isShuffled, $0.shuffleSeed) = (true, 42) }
        #expect(order() == first)
        try await update { $0.isShuffled = false }
        #expect(order() == plain)
    }

    @Test("a change of the order or the repeat mode is reported as a queue event, because the next entry may change")
    func orderChanges() async throws {
        try await rig.perform(.setQueue((0..<5).map { rig.spec("m\($0)") }, play: nil))
        rig.rig.run()
        for change: (inout PlayerUpdate) -> Void in [{ $0.isShuffled = true }, { $0.repeatMode = .all }, { $0.shuffleSeed = 7 }] {
            rig.clear()
            try await update(change)
            #expect(rig.events.contains { if case .queueDidChange = $0 { true } else { false } })
        }
    }

    @Test("the queue has its history")
    func history() async throws {
        try await rig.perform(.setQueue(["a", "b", "c"].map { rig.spec($0) }, play: nil))
        let ids = player.queue.entries.map(\.id)
        #expect(player.queue.history.isEmpty)
        try await rig.perform(.playEntry(ids[2]))
        try await rig.perform(.playEntry(ids[1]))
        #expect(player.queue.history == [ids[0], ids[2]])
        try await rig.perform(.previous)
        #expect(player.queue.history == [ids[0]])
    }

    // MARK: Transitions and loudness

    @Test("crossfade and loudness are passed to the queue player, and shown in the state")
    func sound() async throws {
        try await update { ($0.crossfadeDuration, $0.loudnessNormalization) = (2.5, .album) }
        #expect(player.player.crossfadeDuration.seconds == 2.5)
        #expect(player.player.loudnessNormalization == .album)
        #expect(state.crossfadeDuration == 2.5)
        #expect(state.loudnessNormalization == .album)
        #expect(state.lastChange == PlayerState.Change(reason: .settingsChanged, origin: "test"))
    }

    // MARK: Outputs

    @Test("the output chosen before playback is the one with which the engine starts")
    func earlyOutputs() async throws {
        try player.moveSound(to: .output(driver: "null"), origin: "test")
        try await rig.perform(.setQueue([rig.spec("a")], play: nil))
        rig.rig.run()
        #expect(rig.rig.host.lastOutput is NullOutputProvider)
    }

    @Test("the error of a lost output, and why nobody can hear, are in the state until an output is open")
    func outputError() async throws {
        try await rig.perform(.setQueue([rig.spec("a")], play: nil))
        rig.rig.run()
        rig.rig.engine.emit(.outputLost(PlaybackError(.outputUnavailable, "The device was removed.")))
        rig.rig.run()
        #expect(state.output.error == PlayerState.Failure(code: .outputUnavailable, message: "The device was removed."))
        #expect(state.audioSession.silence == .noOutput && state.audioSession.isInterrupted)
        #expect(rig.states.last?.output == state.output)
        rig.rig.engine.emit(.outputChanged(device, format: .compactDisc, isAudible: true, by: .found))
        rig.rig.run()
        #expect(rig.states.last?.output == PlayerState.Output(kind: .pulse, id: "d", name: "D"))
        #expect(rig.states.last?.audioSession.silence == nil)
    }

    @Test("a volume that another program has set is in the state, never louder, and ends a fade")
    func adoptsVolume() async throws {
        try await rig.perform(.setQueue([rig.spec("a")], play: true))
        rig.rig.run()
        try await update { ($0.volume, $0.volumeFade) = (0.8, 5) }
        #expect(state.fade != nil)
        rig.rig.engine.emit(.volumeChanged(0.25003, isMuted: true))
        rig.rig.run()
        #expect(state.volume == 0.25 && state.isMuted && state.fade == nil)
        #expect(rig.states.last?.volume == 0.25 && rig.states.last?.lastChange.reason == .settingsChanged)
    }

    @Test("a new volume ends no mute, neither the user's nor that of another program (R-VOL-02)")
    func volumeKeepsMute() async throws {
        try await rig.perform(.setQueue([rig.spec("a")], play: true))
        rig.rig.run()
        try await update { ($0.volume, $0.isMuted) = (0.8, true) }
        try await update { $0.volume = 0.4 }
        #expect(state.volume == 0.4 && state.isMuted)
        try await update { $0.isMuted = false }
        rig.rig.engine.emit(.volumeChanged(0.4, isMuted: true))
        rig.rig.run()
        try await update { $0.volume = 0.9 }
        #expect(state.volume == 0.9 && state.isMuted)
        #expect(!rig.rig.engine.commands.contains { if case .configure(let sent) = $0 { sent.volume == 0.9 && !sent.isMuted } else { false } })
    }

    // MARK: The signal path

    /// Opens a medium of 1,000 frames per second, 2 channels and a track gain of −6 dB on a device of the format `output`.
    private func open(in output: AudioFormat) async throws {
        rig.rig.add("loud", ScriptedMedium(seconds: 60, metadata: [MetadataEntry(key: "replaygain_track_gain", value: "-6.00 dB")]))
        try await rig.perform(.setQueue([rig.spec(of: "loud")], play: true))
        rig.rig.run()
        rig.rig.engine.emit(.outputChanged(device, format: output, isAudible: true, by: .opened))
        rig.rig.run()
    }

    @Test("the signal path has the formats of the medium and of the output, and says if nothing is changed")
    func unchanged() async throws {
        #expect(state.signalPath == nil)
        try await open(in: AudioFormat(sampleRate: 1_000, channelLayout: .stereo))
        let path = try #require(state.signalPath)
        #expect(
            path
                == PlayerState.SignalPath(
                    source: .init(sampleRate: 1_000, channels: 2), codec: path.codec, bitsPerSample: 16,
                    output: .init(sampleRate: 1_000, channels: 2)))
        #expect(path.isUnchanged && !path.isResampled && !path.isMixedDown)
        #expect(rig.states.last?.signalPath == path)
    }

    @Test("an output with another rate or fewer channels resamples and mixes down")
    func converted() async throws {
        try await open(in: AudioFormat(sampleRate: 48_000, channelLayout: .mono))
        let path = try #require(state.signalPath)
        #expect(path.isResampled && path.isMixedDown && !path.isUnchanged)
        let same = AudioFormat(sampleRate: 1_000, channelLayout: .stereo)
        rig.rig.engine.emit(.outputChanged(device, format: same, isAudible: true, by: .opened))
        rig.rig.run()
        #expect(rig.states.last?.signalPath?.isUnchanged == true)
    }

    @Test("no state has the format of one device beside another device (R-LNX-42)")
    func changesTogether() async throws {
        func device(_ name: String, _ rate: Int) -> OutputDescription {
            OutputDescription(kind: "pulse", id: name, name: name, device: DeviceFormat(sampleRate: rate, channels: 2, layout: .stereo))
        }
        try await open(in: AudioFormat(sampleRate: 1_000, channelLayout: .stereo))
        let start = rig.states.count
        for (name, rate) in [("quick", 96_000), ("plain", 1_000), ("quick", 96_000)] {
            let format = AudioFormat(sampleRate: rate, channelLayout: .stereo)
            rig.rig.engine.emit(.outputChanged(device(name, rate), format: format, isAudible: true, by: .moved))
            rig.rig.run()
        }
        let paths = rig.states[start...].compactMap(\.signalPath)
        #expect(paths.map(\.output.sampleRate).contains(96_000) && paths.map(\.output.sampleRate).contains(1_000))
        #expect(paths.allSatisfy { $0.device?.sampleRate == $0.output.sampleRate })
    }

    @Test("loudness, speed, volume and mute are part of the signal path while they change samples")
    func changes() async throws {
        try await open(in: AudioFormat(sampleRate: 1_000, channelLayout: .stereo))
        try await update { $0.loudnessNormalization = .track }
        #expect(state.signalPath?.loudnessGain == -6)
        try await update { ($0.loudnessNormalization, $0.audioTimePitchAlgorithm) = (.off, .spectral) }
        #expect(state.signalPath?.isUnchanged == true)
        try await rig.perform(.play(rate: 1.5))
        #expect(state.signalPath?.timePitchAlgorithm == .spectral)
        #expect(state.signalPath?.isUnchanged == false)
        try await rig.perform(.play(rate: 1))
        try await update { $0.volume = 0.5 }
        #expect(state.signalPath?.volume == 0.5)
        try await update { ($0.volume, $0.isMuted) = (1, true) }
        #expect(state.signalPath?.volume == 0)
    }

    // MARK: Facts about media

    @Test("tags and chapters of an opened entry stay known until it is removed")
    func details() async throws {
        var medium = ScriptedMedium(seconds: 10)
        medium.info.metadata = [MetadataEntry(key: "title", value: "A")]
        medium.info.chapters = [MediaChapter(title: "One", start: 0, end: 5)]
        rig.rig.add("a", medium)
        try await rig.perform(.setQueue([rig.spec(of: "a"), rig.spec("b")], play: nil))
        rig.rig.run()
        let ids = player.queue.entries.map(\.id)
        let open = try #require(player.details(itemID: ids[0]))
        #expect(open.facts?.chapters.map(\.title) == ["One"])
        #expect(open.facts?.metadata.map(\.value) == ["A"])
        #expect(open.loaded == [ItemDetails.TimeRange(start: 0, end: 10)])
        #expect(open.seekable == [ItemDetails.TimeRange(start: 0, end: 10)])
        #expect(open.source.location == .file(path: "/a"))
        try await rig.perform(.playEntry(ids[1]))
        rig.rig.run()
        #expect(player.details(itemID: ids[0])?.facts == open.facts)
        #expect(player.details(itemID: "e99") == nil)
        try await rig.perform(.removeEntry(ids[0]))
        #expect(player.details(itemID: ids[0]) == nil)
    }

    private func slot() throws -> SlotPool.Slot { try #require(SlotPool(limit: 1).take()) }

    @Test("an inspection reports a medium or an error, and plays nothing")
    func inspect() async throws {
        var medium = ScriptedMedium(seconds: 10)
        medium.info.metadata = [MetadataEntry(key: "artist", value: "Somebody")]
        rig.rig.add("a", medium)
        let found = try await player.inspect(MediaSource(.file(path: "/a")), interrupt: AssetInterrupt(), slot: slot())
        let report = try found.get()
        #expect(report.duration == 10)
        #expect(report.tracks.count == 1)
        #expect(report.commonMetadata == [MetadataEntry(key: "artist", value: "Somebody")])
        let missing = try await player.inspect(MediaSource(.file(path: "/nothing")), interrupt: AssetInterrupt(), slot: slot())
        #expect(throws: PlayerState.Failure.self) { try missing.get() }
        #expect(state == PlayerState())
    }

    @Test("an inspection ends when it is interrupted", arguments: [true, false])
    func interrupted(isEarly: Bool) async throws {
        var medium = ScriptedMedium(seconds: 10)
        medium.isHeld = true
        rig.rig.add("a", medium)
        let interrupt = AssetInterrupt()
        if isEarly { interrupt.raise() }
        let slot = try slot()
        async let report = player.inspect(MediaSource(.file(path: "/a")), interrupt: interrupt, slot: slot)
        if !isEarly {
            while rig.rig.opener.openCount == 0 { await Task.yield() }
            interrupt.raise()
        }
        let result = await report
        #expect(throws: PlayerState.Failure.self) { try result.get() }
        #expect(interrupt.isRaised)
    }

    /// A source that hangs like a broken disk: it opens no medium before the test releases it, and ignores its interrupt.
    private final class HangingOpener: MediaOpener {
        let release = DispatchSemaphore(value: 0)
        func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
            release.wait()
            throw PlaybackError(.fileNotFound, "There is no such file.")
        }
    }

    @Test("an interrupted inspection keeps its slot until its thread has returned from the medium")
    func hanging() async throws {
        let opener = HangingOpener(), pool = SlotPool(limit: 1)
        var environment = rig.rig.environment
        environment.opener = opener
        let player = PlaylistPlayer(environment: environment)
        func look(_ interrupt: AssetInterrupt) async throws {
            let slot = try #require(pool.take())
            let result = await player.inspect(MediaSource(.file(path: "/a")), interrupt: interrupt, slot: slot)
            #expect(throws: PlayerState.Failure.self) { try result.get() }
        }
        let interrupt = AssetInterrupt()
        interrupt.raise()
        try await look(interrupt)
        #expect(pool.takenCount == 1)
        opener.release.signal()
        while pool.takenCount > 0 { await Task.yield() }
        // An inspection that ends normally releases its slot before its answer.
        opener.release.signal()
        try await look(AssetInterrupt())
        #expect(pool.takenCount == 0)
    }

    // MARK: Statistics

    @Test("underruns and corrupt packets reported by the engine are counted")
    func figures() async throws {
        try await rig.perform(.setQueue([rig.spec("a"), rig.spec("b")], play: true))
        rig.rig.run()
        let current = try #require(player.player.currentItem), item = Turn.perform { current.engineID }
        let events: [EngineEvent] = [.underran, .packetsSkipped(item, 2), .packetsSkipped(item, 5), .underran, .clipped(frames: 7)]
        for event in events { rig.rig.engine.emit(event) }
        rig.rig.run()
        #expect(player.statistics.underruns == 2)
        #expect(player.statistics.skippedPackets == 5)
        #expect(player.statistics.clippedFrames == 7)
        #expect(player.statistics.bufferSeconds != nil)
    }

    @Test("an item that cannot be opened is counted")
    func failures() async throws {
        rig.rig.add("a", ScriptedMedium(seconds: nil, failure: PlaybackError(.corruptMedia, "No.")))
        try await rig.perform(.setQueue([rig.spec(of: "a")], play: true))
        rig.rig.run()
        #expect(player.statistics.failedItems == 1)
    }
}
