import AVFoundation
import Platform
import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of the route that returns lyrics, from a file beside the medium or from the tags of the medium.
@MainActor @Suite struct LyricsRouteTests {
    private let rig: TestRig
    private let home: TemporaryDirectory

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        try home.file("music/song.1.flac")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a", status: .readyToPlay, duration: 60) }
        rig.player.sources["e1"] = MediaSource(.file(path: home.path + "/music/song.1.flac"))
    }

    private func setTags(_ tags: [(String, String)]) {
        rig.player.facts["e1"] = MediaFacts(metadata: tags.map { MetadataEntry(key: $0.0, value: $0.1) })
    }
    private func lyrics() async -> Reply { await rig.send("GET", "/api/v1/items/e1/lyrics") }

    @Test("the lyrics of a file beside the medium have times, and the medium is not opened")
    func beside() async throws {
        try home.file("music/song.1.lrc", "[00:01.50]One\n[00:03]Two")
        let json = await lyrics().json
        #expect(json?["source"]?.text == "file")
        #expect(json?["isSynchronized"]?.bool == true)
        #expect(json?["lines"]?[0]?["time"]?.double == 1.5)
        #expect(json?["lines"]?[1]?["text"]?.text == "Two")
        #expect(rig.player.fakeOpener.openings.isEmpty)
    }

    @Test("the lyrics beside a medium whose name is not UTF-8 are found")
    func bytes() async throws {
        let name = Array("music/caf".utf8) + [0xE9]
        try home.file(name + Array(".lrc".utf8), "[00:01.50]One")
        try home.file(name + Array(".flac".utf8))
        rig.player.sources["e1"] = MediaSource(.file(home.path(name + Array(".flac".utf8))))
        #expect(await lyrics().json?["source"]?.text == "file")
    }

    @Test("the lyrics of a tag have the language of the tag, and times if the text has them")
    func tag() async throws {
        setTags([("title", "x"), ("lyrics-eng", "One\nTwo")])
        let plain = await lyrics().json
        #expect(plain?["source"]?.text == "tag")
        #expect(plain?["language"]?.text == "eng")
        #expect(plain?["isSynchronized"]?.bool == false)
        #expect(plain?["lines"]?[1]?.names == ["text"])
        setTags([("lyrics-xxx", "Plain"), ("UNSYNCEDLYRICS", "[00:02]Timed")])
        let timed = await lyrics().json
        #expect(timed?["isSynchronized"]?.bool == true)
        #expect(timed?["language"] == nil)
        #expect(timed?["lines"]?[0]?["text"]?.text == "Timed")
    }

    @Test("lyrics with times are preferred to a file without them, and the file to a tag without them")
    func preference() async throws {
        try home.file("music/song.1.lrc", "Of the file")
        setTags([("lyrics", "Of the tag")])
        #expect(await lyrics().json?["source"]?.text == "file")
        setTags([("lyrics", "[00:01]Of the tag")])
        #expect(await lyrics().json?["source"]?.text == "tag")
    }

    @Test("an item that is not open is inspected for its tags")
    func inspected() async throws {
        rig.player.fakeOpener.setReport(.success(AssetReport(metadata: [MetadataEntry(key: "USLT", value: "One")])))
        #expect(await lyrics().json?["lines"]?[0]?["text"]?.text == "One")
        #expect(rig.player.fakeOpener.openings.count == 1)
    }

    @Test("a medium that cannot be read is a problem only if there is no file beside it")
    func unreadable() async throws {
        rig.player.fakeOpener.setReport(.failure(PlayerState.Failure(code: .corruptMedia, message: "It is broken.")))
        #expect(await lyrics().problem == "item-failed")
        try home.file("music/song.1.lrc", "Plain")
        #expect(await lyrics().json?["source"]?.text == "file")
    }

    @Test("an item without lyrics, or with empty ones, gives 404")
    func none() async throws {
        setTags([("title", "x"), ("lyrics", " \n ")])
        try home.file("music/song.1.lrc", "[ti:Only a title]\n[00:01]")
        #expect(await lyrics().problem == "lyrics-not-found")
        #expect(await rig.send("GET", "/api/v1/items/e2/lyrics").problem == "item-not-found")
    }

    @Test("a file beside the medium is not read if a link leads outside the media roots, if it is no regular file, or if it is too large")
    func confined() async throws {
        setTags([])
        try home.file("secret", "[00:01]Secret")
        try home.link("music/song.1.lrc", to: home.path + "/secret")
        #expect(await lyrics().problem == "lyrics-not-found")
        try home.pipe("music/song.1.LRC")
        try home.directory("music/song.1.Lrc")
        #expect(await lyrics().problem == "lyrics-not-found")
        try home.file("music/big.lrc", "[00:01]" + String(repeating: "x", count: Lyrics.maximumSize))
        try home.file("music/inside.lrc", "[00:01]Inside")
        try home.link("music/linked.lrc", to: "inside.lrc")
        rig.player.sources["e1"] = MediaSource(.file(path: home.path + "/music/big.flac"))
        #expect(await lyrics().problem == "lyrics-not-found")
        rig.player.sources["e1"] = MediaSource(.file(path: home.path + "/music/linked.flac"))
        #expect(await lyrics().json?["lines"]?[0]?["text"]?.text == "Inside")
    }

    @Test("a medium that was allowed individually does not allow the files beside it")
    func single() async throws {
        let home = home
        try home.directory("other")
        try home.file("other/a.flac")
        try home.file("other/a.lrc", "[00:01]One")
        let rig = try TestRig { $0.media = try PathConfinement(files: [home.path + "/other/a.flac"]) }
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a") }
        rig.player.sources["e1"] = MediaSource(.file(path: home.path + "/other/a.flac"))
        #expect(await rig.send("GET", "/api/v1/items/e1/lyrics").problem == "lyrics-not-found")
    }

    @Test("the lyrics of a remote medium are those of its tags")
    func remote() async throws {
        rig.player.sources["e1"] = MediaSource(.remote(url: "http://example.com/a"))
        setTags([("lyrics", "One")])
        #expect(await lyrics().json?["source"]?.text == "tag")
    }
}
