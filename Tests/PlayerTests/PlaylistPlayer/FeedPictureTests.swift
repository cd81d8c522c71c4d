import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The pictures that a feed gives for its entries.
@Suite("Pictures of feeds") @MainActor struct FeedPictureTests {
    private let rig = PlaylistRig()
    private var player: PlaylistPlayer { rig.player }
    private let cover = Artwork(mimeType: "image/png", data: [1, 2, 3])
    private let url = "http://user:word@h.example/a.jpg"

    /// Appends an opened entry with the picture of a feed, and returns its id.
    private func entry(_ name: String, own: Artwork? = nil, allowsPrivate: Bool = true) async throws -> String {
        rig.rig.add(name, ScriptedMedium(seconds: 10, artwork: own))
        var spec = rig.spec(of: name)
        spec.picture = url
        spec.source.allowsPrivateAddresses = allowsPrivate
        let ids = try await rig.append([spec])
        rig.rig.run()
        return try #require(ids.first)
    }

    private func artwork(of id: String) async throws -> Artwork? {
        let slot = try #require(SlotPool(limit: 1).take())
        return await player.readArtwork(itemID: id, interrupt: AssetInterrupt(), slot: slot)
    }

    @Test("an entry whose medium has no picture has that of its feed, which is read on request and kept")
    func picture() async throws {
        rig.rig.opener.setPicture(cover, at: url)
        let id = try await entry("a", allowsPrivate: false)
        let item = try #require(player.state.currentItem)
        #expect(item.hasArtwork && item.picture == url && rig.rig.opener.pictureSources.isEmpty)
        #expect(try await artwork(of: id) == cover && player.artwork(itemID: id) == cover)
        #expect(rig.rig.opener.pictureSources == [MediaSource(.remote(url: url), allowsPrivateAddresses: false)])
    }

    @Test("a medium with a picture of its own keeps it")
    func own() async throws {
        let own = Artwork(mimeType: "image/jpeg", data: [9])
        let id = try await entry("a", own: own)
        #expect(player.state.currentItem?.hasArtwork == true && player.state.currentItem?.picture == nil)
        #expect(try await artwork(of: id) == own && rig.rig.opener.pictureSources.isEmpty)
    }

    @Test("entries with the same picture read it once")
    func common() async throws {
        rig.rig.opener.setPicture(cover, at: url)
        let ids = [try await entry("a"), try await entry("b")]
        for id in ids { #expect(try await artwork(of: id) == cover) }
        #expect(player.artwork(itemID: ids[1]) == cover && rig.rig.opener.pictureSources.count == 1)
    }

    @Test("a picture that cannot be read is missing, and is no error of its entry")
    func missing() async throws {
        let id = try await entry("a")
        #expect(try await artwork(of: id) == nil && player.artwork(itemID: id) == nil)
        #expect(player.state.currentItem?.status == .readyToPlay && player.state.currentItem?.error == nil)
    }

    @Test("the entries of a feed have its pictures, also a copy of an entry")
    func expansion() async throws {
        rig.rig.add("a", ScriptedMedium(seconds: 10))
        var medium = MediaList.Medium(source: MediaSource(.file(path: "/a")), url: "file:///a", position: "Entry 1")
        medium.picture = url
        var error = PlaybackError(.unsupportedFormat, "The file is a podcast feed (RSS), not a medium.")
        error.list = MediaList(format: nil, base: .file(FilePath("/list")), lines: [], media: [medium])
        rig.rig.add("list", ScriptedMedium(seconds: nil, failure: error))
        try await rig.append([rig.spec(of: "list")])
        rig.rig.run()
        var copy = rig.spec(of: "a")
        copy.id = try #require(player.playlist.entries.first?.id)
        try await rig.append([copy])
        #expect(player.playlist.entries.map(\.spec.picture) == [url, url])
    }
}
