import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// Entries whose medium is a playlist.
@Suite("Playlist expansion") @MainActor struct PlaylistExpansionTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }
    var urls: [String] { player.playlist.entries.map(\.spec.url) }

    private func medium(_ name: String, title: String? = nil, failure: PlaybackError? = nil, line: Int = 1) -> MediaList.Medium {
        MediaList.Medium(
            source: MediaSource(.file(path: "/" + name)), url: "file:///" + name, title: title, failure: failure, position: "Line \(line)")
    }

    /// Adds a playlist with media to the scripted engine, and returns the spec of its entry.
    private func list(_ name: String, _ media: [MediaList.Medium]?, title: String? = nil) -> EntrySpec {
        var error = PlaybackError(.unsupportedFormat, "The file is a playlist (M3U), not a medium.")
        error.list = MediaList(format: .m3u, base: .file(FilePath("/" + name)), lines: [], media: media)
        rig.rig.add(name, ScriptedMedium(seconds: nil, failure: error))
        return rig.spec(of: name, title: title)
    }

    private func add(_ names: String...) { for name in names { rig.rig.add(name, ScriptedMedium(seconds: 10)) } }

    @Test("the media of a playlist take the place of its entry, and the first one plays")
    func expands() async throws {
        add("a", "b")
        guard
            case .item(let id) = try await rig.perform(
                .setItem(list("list", [medium("a", title: "A"), medium("b")], title: "Given"), play: true, startTime: nil))
        else { return }
        rig.rig.run()
        #expect(urls == ["file:///a", "file:///b"])
        #expect(state.currentItem?.id == id && state.currentItem?.status == .readyToPlay && state.currentItem?.title == "A")
        #expect(player.playlist.entries[1].spec.title == "Given" && player.playlist.entries.allSatisfy { $0.spec.addedBy == "test" })
        #expect(state.timeControlStatus == .playing && state.rate == 1)
    }

    @Test("the entries of a feed have their dates, and the durations that it gives until their media are opened")
    func episodes() async throws {
        let names = ["a", "b", "c", "d", "e", "f"]
        for name in names { add(name) }
        var media = names.map { medium($0) }
        for index in media.indices { (media[index].duration, media[index].publicationDate) = (Double(index) + 100, Double(index) + 1000) }
        try await rig.perform(.setItem(list("list", media), play: false, startTime: nil))
        rig.rig.run()
        #expect(player.queue.entries.map(\.publicationDate) == [1000, 1001, 1002, 1003, 1004, 1005])
        // The player opens the current entry and some that follow.
        #expect(player.queue.entries.first?.duration == 10 && player.queue.entries.last?.duration == 105)
        #expect(state.currentItem?.publicationDate == 1000)
        let id = try #require(player.queue.entries.last?.id)
        var copy = rig.spec(of: "f")
        copy.id = id
        try await rig.append([copy])
        #expect(player.queue.entries.last?.publicationDate == 1005 && player.queue.entries.last?.duration == 105)
    }

    @Test("if the first medium cannot be opened, the next one plays, and a request that waits gets that one")
    func fallsOver() async throws {
        add("b")
        guard
            case .item(let id) = try await rig.perform(
                .setItem(list("list", [medium("missing"), medium("b")]), play: true, startTime: nil))
        else { return }
        async let loaded = player.waitUntilLoaded(itemID: id)
        await Task.yield()
        rig.rig.run()
        let item = await loaded
        #expect(item?.url == "file:///b" && item?.status == .readyToPlay)
        #expect(state.currentItem?.url == "file:///b" && state.timeControlStatus == .playing)
    }

    @Test("a medium that may not be used is skipped, and keeps its reason")
    func unusable() async throws {
        add("b")
        let denied = PlaybackError(.permissionDenied, "The path is outside the media roots.")
        try await rig.perform(.setItem(list("list", [medium("a", failure: denied), medium("b", line: 2)]), play: true, startTime: nil))
        rig.rig.run()
        #expect(state.currentItem?.url == "file:///b" && state.queue.index == 1 && state.timeControlStatus == .playing)
        let first = player.playlist.entries[0]
        #expect(player.describe(first).error == PlayerState.Failure(code: .permissionDenied, message: denied.message))
    }

    @Test("a playlist of which nothing can be used fails with the reason of its first medium")
    func nothing() async throws {
        let denied = PlaybackError(.permissionDenied, "The path is outside the media roots.")
        try await rig.perform(.setItem(list("list", [medium("a", failure: denied, line: 3)]), play: true, startTime: nil))
        rig.rig.run()
        #expect(urls == ["file:///list"])
        #expect(state.currentItem?.error?.code == .permissionDenied)
        #expect(state.currentItem?.error?.message == "Nothing in the playlist can be played. Line 3: The path is outside the media roots.")
    }

    @Test("a playlist whose locations nothing has checked fails")
    func unchecked() async throws {
        try await rig.perform(.setItem(list("list", nil), play: true, startTime: nil))
        rig.rig.run()
        #expect(state.currentItem?.error?.message == "The file is a playlist (M3U), not a medium.")
    }

    @Test("a playlist between other entries is expanded before it is reached, and playback continues through it")
    func follower() async throws {
        add("x", "a", "b", "y")
        try await rig.append([rig.spec(of: "x"), list("list", [medium("a"), medium("b")]), rig.spec(of: "y")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(urls == ["file:///x", "file:///a", "file:///b", "file:///y"] && state.queue.index == 0)
        rig.rig.advance(10)
        #expect(state.currentItem?.url == "file:///a" && state.timeControlStatus == .playing)
        rig.rig.advance(20)
        #expect(state.currentItem?.url == "file:///y")
    }

    @Test("a playlist that is reached by next is expanded, and no entry is skipped")
    func next() async throws {
        add("a", "y")
        try await rig.append([list("list", [medium("a")]), rig.spec(of: "y")])
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        #expect(state.currentItem?.url == "file:///a" && state.queue.count == 2)
    }

    @Test("playlists in playlists are expanded to a depth of three")
    func depth() async throws {
        add("a")
        _ = list("third", [medium("a")])
        _ = list("second", [medium("third")])
        try await rig.perform(.setItem(list("first", [medium("second")]), play: true, startTime: nil))
        rig.rig.run()
        #expect(state.currentItem?.url == "file:///a" && state.currentItem?.status == .readyToPlay)
        _ = list("zero", [medium("first")])
        try await rig.perform(.setItem(rig.spec(of: "zero"), play: true, startTime: nil))
        rig.rig.run()
        #expect(state.currentItem?.error?.message == "The playlist is inside more than 2 other playlists.")
    }

    @Test("a playlist that names itself, or one that contains it, is not expanded again")
    func cycle() async throws {
        add("a")
        _ = list("inner", [medium("outer"), medium("inner", line: 2), medium("a", line: 3)])
        try await rig.perform(.setItem(list("outer", [medium("inner")]), play: true, startTime: nil))
        rig.rig.run()
        #expect(urls == ["file:///outer", "file:///inner", "file:///a"] && state.currentItem?.url == "file:///a")
        try await rig.perform(.setItem(list("self", [medium("self")]), play: true, startTime: nil))
        rig.rig.run()
        #expect(state.currentItem?.error?.message == "Nothing in the playlist can be played. Line 1: The playlist contains itself.")
    }

    @Test("a playlist with more entries than the queue can have fails")
    func tooMany() async throws {
        add("a")
        let media = [MediaList.Medium](repeating: medium("a"), count: PlaylistMachine.maximumCount)
        try await rig.append([rig.spec(of: "a"), list("list", media)])
        rig.rig.run()
        #expect(urls == ["file:///a", "file:///list"])
        #expect(player.playlist.entries.last.map { player.describe($0).error?.code } == .unsupportedFormat)
    }

    @Test("the start position of the entry belongs to the first medium")
    func startTime() async throws {
        add("a", "b")
        var spec = list("list", [medium("a"), medium("b")])
        spec.startTime = 4
        try await rig.append([spec])
        rig.rig.run()
        #expect(player.playlist.entries.map(\.spec.startTime) == [4, nil])
        #expect(player.currentTime().currentTime == 4)
    }

    @Test("undo of the edit that added a playlist removes all of its media; undo of another edit keeps them")
    func undo() async throws {
        add("x", "y", "a", "b")
        try await rig.append([rig.spec(of: "x"), list("list", [medium("a"), medium("b")])])
        let ids = try await rig.append([rig.spec(of: "y")])
        rig.rig.run()
        #expect(urls == ["file:///x", "file:///a", "file:///b", "file:///y"])
        try await rig.perform(.undo)
        #expect(urls == ["file:///x", "file:///a", "file:///b"])
        try await rig.perform(.redo)
        #expect(urls.count == 4 && player.playlist.entries.last?.id == ids.first)
        try await rig.perform(.undo)
        try await rig.perform(.undo)
        #expect(urls.isEmpty)
    }

    @Test("in a shuffled queue the media of a playlist stay together")
    func shuffled() async throws {
        add("x", "a", "b", "c")
        try await rig.append([rig.spec(of: "x")])
        var update = PlayerUpdate()
        update.isShuffled = true
        try await rig.perform(.update(update))
        try await rig.append([list("list", [medium("a"), medium("b"), medium("c")])])
        rig.rig.run()
        let order = player.playlist.entries(0..<4, in: .playback).map(\.spec.url)
        #expect(order == ["file:///x", "file:///a", "file:///b", "file:///c"])
    }
}
