import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The events sent if another entry becomes current or an entry fails, and the published cause of a pause.
@Suite("PlaylistPlayer: current items, failures, pauses") @MainActor struct CurrentItemEventTests {
    let rig = PlaylistRig()
    var state: PlayerState { rig.player.state }

    private var changes: [CurrentItemChange] { rig.events.compactMap { if case .currentItemDidChange(let change) = $0 { change } else { nil } } }

    @Test("each entry that becomes current is reported once, with its tags, its index, and the cause for which it became current")
    func advance() async throws {
        rig.rig.add("a", ScriptedMedium(seconds: 10, metadata: [MetadataEntry(key: "title", value: "One")]))
        rig.rig.add("b", ScriptedMedium(seconds: 20, metadata: [MetadataEntry(key: "title", value: "Two")]))
        try await rig.perform(.setQueue([rig.spec(of: "a"), rig.spec(of: "b")], play: true), origin: "phone")
        rig.rig.advance(11)
        try await rig.perform(.clear, origin: "radio")
        rig.rig.run()
        #expect(changes.map(\.item?.title) == ["One", "Two", nil])
        #expect(changes.map(\.item?.duration) == [10, 20, nil])
        #expect(changes.map(\.index) == [0, 1, -1])
        #expect(changes.map(\.cause.origin) == ["phone", "player", "radio"])
        #expect(changes.map(\.cause.reason) == [.setRateCalled, .didPlayToEndTime, .queueChanged])
    }

    @Test("an entry that is left before its medium was opened is not reported")
    func left() async throws {
        rig.rig.add("slow", ScriptedMedium(seconds: 10, isHeld: true))
        try await rig.perform(.setQueue([rig.spec(of: "slow"), rig.spec("b")], play: true))
        rig.rig.run()
        #expect(changes.isEmpty)
        try await rig.perform(.next)
        rig.rig.run()
        #expect(changes.map(\.item?.url) == ["file:///b"])
    }

    @Test("a pause, a seek and other metadata report no change of the current entry")
    func sameEntry() async throws {
        try await rig.perform(.setQueue([rig.spec("a")], play: true))
        rig.rig.run()
        try await rig.perform(.pause)
        _ = try await rig.seek(.time(5))
        #expect(changes.count == 1)
    }

    @Test("an entry that cannot be opened is reported with its URL and failure, also if it is not current")
    func failure() async throws {
        rig.rig.add("bad", ScriptedMedium(seconds: 10, failure: PlaybackError(.corruptMedia, "Broken.")))
        let ids = try await rig.append([rig.spec("a"), rig.spec(of: "bad"), rig.spec("c")])
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        let failures = rig.events.compactMap {
            if case .entryDidFail(let id, let url, let failure) = $0 { "\(id) \(url) \(failure.code.rawValue)" } else { nil }
        }
        #expect(failures == ["\(ids[1]) file:///bad corruptMedia"])
    }

    @Test("the state has the cause and the time of a pause until the next start")
    func pause() async throws {
        #expect(state.lastPause == nil)
        try await rig.perform(.setQueue([rig.spec("a")], play: true))
        rig.rig.advance(1)
        #expect(state.lastPause == nil)
        try await rig.perform(.pause, origin: "phone")
        let pause = PlayerState.Pause(reason: .setRateCalled, origin: "phone", hostTime: rig.rig.clock.now.seconds)
        #expect(state.lastPause == pause)
        rig.rig.advance(5)
        try await rig.perform(.changeVolume(by: -0.5), origin: "radio")
        #expect(state.lastChange.origin == "radio")
        #expect(state.lastPause == pause)
        try await rig.perform(.play(rate: nil))
        #expect(state.lastPause == nil)
    }

    @Test("the end of the queue and the sleep timer are causes of a pause")
    func ends() async throws {
        try await rig.perform(.setQueue([rig.spec("a")], play: true))
        rig.rig.advance(11)
        #expect(state.lastPause?.reason == .didPlayToEndTime)
        #expect(state.lastPause?.origin == "player")
        try await rig.perform(.play(rate: nil))
        try await rig.perform(.setSleepTimer(.after(seconds: 1)))
        rig.rig.advance(2)
        #expect(state.lastPause?.reason == .sleepTimer)
    }

    // MARK: Skips

    @Test("a skip is limited to the ends of the item", arguments: [(3.0, 5.0), (-10, 0), (100, 10)])
    func skip(by seconds: Double, lands target: Double) async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: false, startTime: nil))
        rig.rig.run()
        _ = try await rig.seek(.time(2))
        #expect(try await rig.seek(.skip(seconds)) == .seek(finished: true, time: target, requested: target))
    }

    @Test("skips that follow each other quickly add up, although the first has not landed")
    func quickSkips() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: false, startTime: nil))
        rig.rig.run()
        let first = Task { @MainActor in try await rig.player.perform(.seek(SeekCommand(target: .skip(2))), origin: "test") }
        await Task.yield()
        #expect(try await rig.seek(.skip(2)) == .seek(finished: true, time: 4, requested: 4))
        #expect(try await first.value == .seek(finished: false, time: 0, requested: 2))
    }
}
