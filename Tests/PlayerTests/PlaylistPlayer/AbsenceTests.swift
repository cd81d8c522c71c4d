import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation
@testable import Player

/// A disk that the test connects. Files that were not connected are away, unless they are missing.
private final class FakePresence: MediaPresence {
    private struct State {
        var present: Set<FilePath> = []
        var missing: Set<FilePath> = []
        /// The next answers about any file, before those of the sets.
        var answers: [Presence] = []
        var waits: [@Sendable () -> Void] = []
        var looks: [FilePath] = []
        var opened: [FilePath] = []
        var hanging: Set<FilePath> = []
        var unanswered: [(path: FilePath, completion: @Sendable (Presence) -> Void)] = []

        mutating func presence(of path: FilePath) -> Presence {
            guard answers.isEmpty else { return answers.removeFirst() }
            return present.contains(path) ? .present : missing.contains(path) ? .missing : .away(nearest: "/mnt")
        }
    }
    private let state = Mutex(State())

    var looks: [FilePath] { state.withLock { $0.looks } }
    var opened: [FilePath] { state.withLock { $0.opened } }
    var waitCount: Int { state.withLock { $0.waits.count } }
    func connect(_ names: String...) { state.withLock { for name in names { $0.present.insert(FilePath("/" + name)) } } }
    func disconnect(_ name: String) { state.withLock { _ = $0.present.remove(FilePath("/" + name)) } }
    func lose(_ name: String) { state.withLock { _ = $0.missing.insert(FilePath("/" + name)) } }
    func answer(with answers: Presence...) { state.withLock { $0.answers = answers } }
    /// Lets looks for a file wait for `answer`.
    func hang(_ name: String) { state.withLock { _ = $0.hanging.insert(FilePath("/" + name)) } }
    func answer() {
        let looks = state.withLock { state in
            defer { (state.hanging, state.unanswered) = ([], []) }
            return state.unanswered
        }
        for look in looks { look.completion(state.withLock { $0.presence(of: look.path) }) }
    }
    /// Ends all waits.
    func change() {
        let ended = state.withLock { state in
            defer { state.waits = [] }
            return state.waits
        }
        for completion in ended { completion() }
    }

    func didOpen(_ path: FilePath) { state.withLock { $0.opened.append(path) } }
    func look(for path: FilePath, _ completion: @escaping @Sendable (Presence) -> Void) {
        let found = state.withLock { state -> Presence? in
            state.looks.append(path)
            guard !state.hanging.contains(path) else {
                state.unanswered.append((path, completion))
                return nil
            }
            return state.presence(of: path)
        }
        if let found { completion(found) }
    }
    func wait(forChangeIn folder: FilePath, _ completion: @escaping @Sendable () -> Void) { state.withLock { $0.waits.append(completion) } }
}

@Suite("PlaylistPlayer: files that are away") @MainActor struct AbsenceTests {
    private let presence = FakePresence()
    private let rig: PlaylistRig
    private var player: PlaylistPlayer { rig.player }
    private var state: PlayerState { player.state }
    private var position: Double { player.currentTime().currentTime }

    init() { rig = PlaylistRig(presence: presence) }

    /// Adds media, and connects their disk.
    private func connect(_ names: String...) {
        for name in names {
            rig.rig.add(name, ScriptedMedium(seconds: 10))
            presence.connect(name)
        }
    }
    private func specs(_ names: String...) -> [EntrySpec] { names.map { rig.spec(of: $0) } }

    @Test("the queue waits at an entry whose disk is away, says why, and plays it when the disk is there again (R-AWAY-01)")
    func waiting() async throws {
        let ids = try await rig.append((1...1_200).map { rig.spec(of: "away\($0)") })
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(3_600)
        #expect(state.currentItem?.id == ids[0] && state.currentItem?.status == .unknown && state.queue.index == 0)
        #expect(state.rate == 1 && state.timeControlStatus == .waitingToPlayAtSpecifiedRate && state.reasonForWaitingToPlay == .mediaUnavailable)
        #expect(rig.states.contains { $0.lastChange == PlayerState.Change(reason: .mediaUnavailable, origin: "player") })
        #expect(!rig.events.contains { if case .entryDidFail = $0 { true } else { false } })
        #expect(presence.waitCount == 1)
        presence.change()
        rig.rig.run()
        #expect(presence.waitCount == 1 && state.reasonForWaitingToPlay == .mediaUnavailable)
        connect("away1", "away2")
        presence.change()
        rig.rig.advance(1)
        #expect(state.timeControlStatus == .playing && state.currentItem?.id == ids[0] && position == 1)
        #expect(state.reasonForWaitingToPlay == nil)
        rig.rig.advance(10)
        #expect(state.currentItem?.id == ids[1] && position == 1)
        rig.rig.advance(10)
        #expect(state.currentItem?.id == ids[2] && state.reasonForWaitingToPlay == .mediaUnavailable)
    }

    @Test("a file that was opened is noted, and one that is away is not, so that it is known whether its disk has gone")
    func opened() async throws {
        connect("a")
        try await rig.append(specs("a", "away"))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(Set(presence.opened) == ["/a"])
    }

    @Test("an entry that could not be opened ahead is opened when its turn comes, and ahead if its disk is there again before (R-AWAY-02)")
    func turn() async throws {
        connect("a")
        let ids = try await rig.append(specs("a", "b", "c"))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(5)
        #expect(state.timeControlStatus == .playing && state.reasonForWaitingToPlay == nil)
        connect("b")
        rig.rig.advance(6)
        // An entry that is opened when the one before it has ended does not begin without a gap.
        #expect(state.currentItem?.id == ids[1] && (0.9...1).contains(position), "\(position)")
        connect("c")
        presence.change()
        rig.rig.run()
        #expect(rig.player.loader.item(of: ids[2])?.status == .readyToPlay)
    }

    @Test("a file that is missing from its folder is skipped when its turn comes, and fails then (R-AWAY-02)")
    func missing() async throws {
        connect("a", "c")
        presence.lose("b")
        let ids = try await rig.append(specs("a", "b", "c"))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(9)
        #expect(!player.model.hasFailed(ids[1]))
        rig.rig.advance(2)
        #expect(state.currentItem?.id == ids[2] && (0.9...1).contains(position) && player.model.hasFailed(ids[1]), "\(position)")
        #expect(rig.events.count { if case .entryDidFail = $0 { true } else { false } } == 1)
    }

    @Test("after a restart, the entry and the position that were heard wait for their disk, playing or paused (R-AWAY-03)", arguments: [1.0, 0])
    func restored(rate: Double) async throws {
        var machine = PlaylistMachine(seed: 1)
        machine.replace(with: specs("a", "b", "c"), current: 1)
        var saved = SavedPlayer()
        (saved.playlist, saved.playhead) = (machine.saved, SavedPlayer.Playhead(time: 7, rate: rate))
        let rig = PlaylistRig(restoring: saved, presence: presence)
        rig.player.resume(saved)
        rig.rig.advance(60)
        #expect(rig.player.state.queue.index == 1 && rig.player.currentTime().currentTime == 7 && rig.player.state.rate == rate)
        #expect(rig.player.saved.playhead == SavedPlayer.Playhead(time: 7, rate: rate))
        rig.rig.add("b", ScriptedMedium(seconds: 10))
        presence.connect("b")
        presence.change()
        rig.rig.advance(1)
        #expect(rig.player.state.queue.index == 1 && rig.player.currentTime().currentTime == 7 + rate)
    }

    @Test("entries that a client adds while their disk is away are not skipped, unlike those that are missing (R-AWAY-02)")
    func added() async throws {
        func notFound(_ name: String) -> EntrySpec {
            var spec = rig.spec(of: name)
            spec.failure = PlayerState.Failure(code: .fileNotFound, message: "There is no file at this path.")
            return spec
        }
        connect("a")
        presence.lose("other/b")
        let ids = try await rig.append(specs("a") + [notFound("other/b"), notFound("c")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(player.model.hasFailed(ids[1]) && !player.model.hasFailed(ids[2]))
        rig.rig.advance(10)
        #expect(state.currentItem?.id == ids[2] && state.reasonForWaitingToPlay == .mediaUnavailable)
    }

    @Test("a disk that is lost in the middle of an entry is waited for at the position that was heard (R-AWAY-01)")
    func lost() async throws {
        connect("a")
        let ids = try await rig.append(specs("a"))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(3)
        rig.rig.engine.cutTimeline(isFinal: true)
        let failure = PlaybackError(.unknown, "The file could not be read.", underlying: .init(domain: "POSIX", code: 5, message: ""))
        presence.disconnect("a")
        rig.rig.engine.emit(.failed(try #require(rig.rig.engine.currentItem), failure))
        rig.rig.advance(60)
        #expect(state.currentItem?.id == ids[0] && position == 3 && state.rate == 1 && state.reasonForWaitingToPlay == .mediaUnavailable)
        presence.connect("a")
        presence.change()
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[0] && position == 4 && state.timeControlStatus == .playing)
    }

    @Test("a disk that is back before each look after it was lost fails no entry that plays on, and a place that cannot be read fails it (R-AWAY-01)")
    func glitches() async throws {
        rig.rig.add("a", ScriptedMedium(seconds: 36_000))
        presence.connect("a")
        let ids = try await rig.append(specs("a"))
        try await rig.perform(.play(rate: nil))
        let failure = PlaybackError(.unknown, "The file could not be read.", underlying: .init(domain: "POSIX", code: 5, message: ""))
        func fail(after seconds: Double) throws {
            rig.rig.advance(seconds)
            rig.rig.engine.cutTimeline(isFinal: true)
            rig.rig.engine.emit(.failed(try #require(rig.rig.engine.currentItem), failure))
            rig.rig.run()
        }
        for _ in 0..<5 { try fail(after: 3_600) }
        #expect(state.currentItem?.id == ids[0] && state.currentItem?.status == .readyToPlay && position == 18_000)
        try fail(after: 0)
        #expect(state.currentItem?.status == .readyToPlay)
        try fail(after: 0)
        #expect(state.currentItem?.status == .failed && presence.looks.count == 7)
    }

    @Test("an entry whose share does not answer the look for its file has the reason after a second, and another entry is played (R-AWAY-01)")
    func slowLook() async throws {
        connect("b")
        presence.hang("a")
        let ids = try await rig.append(specs("a", "b"))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(0.9)
        #expect(state.currentItem?.id == ids[0] && state.reasonForWaitingToPlay != .mediaUnavailable)
        rig.rig.advance(0.1)
        #expect(state.reasonForWaitingToPlay == .mediaUnavailable)
        #expect(rig.states.contains { $0.lastChange == PlayerState.Change(reason: .mediaUnavailable, origin: "player") })
        try await rig.perform(.next)
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[1] && state.timeControlStatus == .playing)
        try await rig.perform(.previous)
        rig.rig.run()
        connect("a")
        presence.answer()
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[0] && position == 1 && state.reasonForWaitingToPlay == nil)
    }

    @Test("a look that is answered within a second gives no reason")
    func quickLook() async throws {
        presence.hang("a")
        presence.lose("a")
        try await rig.append(specs("a"))
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(0.9)
        presence.answer()
        rig.rig.advance(60)
        #expect(!rig.states.contains { $0.reasonForWaitingToPlay == .mediaUnavailable } && state.currentItem?.status == .failed)
    }

    @Test("an entry that was removed while its file was missing has all its retries when it is back")
    func removed() async throws {
        connect("a")
        presence.answer(with: .present, .missing)
        let ids = try await rig.append(specs("a", "b"))
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        #expect(presence.looks.count == 2)
        try await rig.perform(.removeEntry(ids[1]))
        rig.rig.run()
        presence.answer(with: .present, .present, .present)
        try await rig.perform(.undo)
        rig.rig.run()
        #expect(presence.looks.count == 5 && player.model.hasFailed(ids[1]))
    }

    @Test("while an entry waits, next leaves it, a seek moves it, and play looks again")
    func commands() async throws {
        connect("b")
        let ids = try await rig.append(specs("a", "b"))
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        #expect(try await rig.seek(.time(4)) == .seek(finished: true, time: 4, requested: 4))
        connect("a")
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[0] && position == 5)
        try await rig.perform(.setQueue(specs("away", "b"), play: true))
        rig.rig.run()
        #expect(state.reasonForWaitingToPlay == .mediaUnavailable)
        try await rig.perform(.next)
        rig.rig.advance(1)
        #expect(state.queue.index == 1 && state.timeControlStatus == .playing && state.reasonForWaitingToPlay == nil)
    }
}
