import AVFoundation
import Platform
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of the routes that describe the items of the queue and other media.
@MainActor @Suite struct MediaRouteTests {
    private let rig: TestRig
    private let home: TemporaryDirectory
    private var path: String { "/api/v1/items/e1" }

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        try home.file("music/a.flac")
        try home.file("secret")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    private func addItem() {
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a", status: .readyToPlay, duration: 60) }
    }
    private func setMedium(_ medium: FakeOpener.Medium) { rig.player.fakeOpener.setMedium(medium, at: "/e1") }

    // MARK: Items

    @Test("an item has its metadata, its loaded ranges and its seekable ranges")
    func details() async throws {
        addItem()
        rig.player.facts["e1"] = MediaFacts(metadata: [MetadataEntry(key: "title", value: "Sample")])
        let json = await rig.send("GET", path).json
        #expect(json?["id"]?.text == "e1")
        #expect(json?["duration"]?.double == 60)
        #expect(json?["loadedTimeRanges"]?[0]?["end"]?.double == 60)
        #expect(json?["seekableTimeRanges"]?[0]?.names == ["start"])
        #expect(json?["metadata"]?[0]?["value"]?.text == "Sample")
    }

    @Test("an item that is not in the queue gives 404", arguments: ["", "/chapters", "/waveform", "/artwork", "/lyrics"])
    func noItem(_ part: String) async throws {
        let reply = await rig.send("GET", "/api/v1/items/nothing" + part)
        #expect(reply.status == 404)
        #expect(reply.problem == "item-not-found")
    }

    @Test("an entry without a picture gives another problem than a missing entry")
    func artworkOfAnyEntry() async throws {
        _ = await rig.send("PUT", "/api/v1/queue", json: #"{"entries":[{"url":"\#(home.path)/music/a.flac"},{"url":"\#(home.path)/music/a.flac"}]}"#)
        #expect(await rig.send("GET", "/api/v1/items/e2/artwork").problem == "artwork-not-found")
    }

    @Test("chapters are available only after the item was opened")
    func chapters() async throws {
        addItem()
        #expect(await rig.send("GET", path + "/chapters").problem == "item-not-ready")
        rig.player.facts["e1"] = MediaFacts(chapters: [MediaChapter(title: "One", start: 0, end: 61.5)])
        let json = await rig.send("GET", path + "/chapters").json
        #expect(json?["chapters"]?[0]?["title"]?.text == "One")
        #expect(json?["chapters"]?[0]?["end"]?.double == 61.5)
        rig.player.facts["e1"] = MediaFacts()
        #expect(await rig.send("GET", path + "/chapters").json?["chapters"]?.elements.isEmpty == true)
        rig.player.facts["e1"] = nil
        rig.player.change { $0.currentItem?.error = PlayerState.Failure(code: .fileNotFound, message: "It is gone.") }
        #expect(await rig.send("GET", path + "/chapters").problem == "item-failed")
    }

    // MARK: Assets

    @Test("a medium is inspected without being played")
    func asset() async throws {
        rig.player.fakeOpener.setReport(
            .success(
                AssetReport(
                    duration: 245.3, isDurationExact: true,
                    tracks: [AssetReport.Track(id: 1, codec: "flac", sampleRate: 44100, channels: 2, bitRate: nil)],
                    commonMetadata: [MetadataEntry(key: "title", value: "Sample")], metadata: [MetadataEntry(key: "TIT2", value: "Sample")])))
        let all = await rig.send("GET", "/api/v1/assets?url=\(home.path)/music/a.flac&keys=duration,tracks,commonMetadata,metadata").json
        #expect(all?["duration"]?.double == 245.3)
        #expect(all?["tracks"]?[0]?.names == ["id", "codec", "sampleRate", "channels"])
        #expect(all?["metadata"]?[0]?["key"]?.text == "TIT2")
        let few = await rig.send("GET", "/api/v1/assets?url=\(home.path)/music/a.flac&keys=tracks").json
        #expect(few?.names == ["url", "isPlayable", "tracks"])
        #expect(await rig.send("GET", "/api/v1/assets?url=\(home.path)/music/a.flac").json?.names.contains("commonMetadata") == true)
        #expect(rig.player.performed.isEmpty)
    }

    @Test(
        "a medium that may not be played may not be inspected: outside the roots, by any spelling, and of other schemes",
        arguments: [
            ("/etc/passwd", 403), ("file:///etc/passwd", 403), ("ROOT/../secret", 403), ("file://ROOT/%2e%2e/secret", 403), ("ROOT/nothing", 404),
            ("ROOT", 422), ("concat:ROOT/a.flac", 422), ("subfile:,,start,0,end,1,,:/etc/passwd", 422), ("data:audio/wav,x", 422), ("a.flac", 400),
            ("", 400), ("http://", 400), ("http://a@b@c/", 400),
        ])
    func refused(_ url: String, _ status: Int) async throws {
        let given = url.split(separator: "ROOT", omittingEmptySubsequences: false).joined(separator: home.path + "/music")
        let reply = await rig.send("GET", "/api/v1/assets?url=" + PercentEncoding.encodedPath(given))
        #expect(reply.status == status, "\(reply.text)")
        if status != 400 || url.isEmpty { #expect(reply.json?["parameter"]?.text == "url") }
        #expect(reply.pointer == nil)
        #expect(rig.player.fakeOpener.openings.isEmpty)
    }

    @Test(
        "unknown keys and a missing URL are refused", arguments: ["", "?keys=duration", "?url=/x&keys=", "?url=/x&keys=size", "?url=/x&keys=,"])
    func badQuery(_ query: String) async throws {
        #expect(await rig.send("GET", "/api/v1/assets" + query).problem == "invalid-parameter")
    }

    @Test("only a client on this machine may inspect media at private addresses")
    func privateNetwork() async throws {
        let phone = HTTPPeer(address: "192.168.1.20", isLoopback: false)
        for (peer, isAllowed) in [(HTTPPeer.loopback, true), (phone, false)] {
            _ = await rig.send("GET", "/api/v1/assets?url=http://192.168.0.1/", peer: peer)
            #expect(rig.player.fakeOpener.openings.last?.allowsPrivateAddresses == isAllowed)
        }
    }

    @Test("a page of another site cannot cause an inspection by an image URL")
    func crossSite() async throws {
        let headers = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")]
        let reply = await rig.send("GET", "/api/v1/assets?url=http://192.168.0.1/", headers: headers)
        #expect(reply.problem == "cross-site")
        #expect(rig.player.fakeOpener.openings.isEmpty)
    }

    @Test("a medium that cannot be opened reports why, and one that does not answer times out")
    func failures() async throws {
        let target = "/api/v1/assets?url=http://example.com/a"
        rig.player.fakeOpener.setReport(.failure(PlayerState.Failure(code: .network, message: "The server cannot be reached.")))
        let failed = await rig.send("GET", target)
        #expect(failed.problem == "item-failed")
        #expect(failed.json?["error"]?["code"]?.text == "network")
        rig.player.fakeOpener.hold()
        async let held = rig.send("GET", target)
        await rig.until { rig.player.fakeOpener.waitingCount == 1 }
        rig.time.advance(by: MediaInspector.patience)
        #expect(await held.json?["error"]?["code"]?.text == "timedOut")
        #expect(rig.time.timerCount == 0)
    }

    @Test("an inspection ends when its client disconnects, over HTTP and over a WebSocket")
    func clientLeft() async throws {
        let target = "http://example.com/a"
        rig.player.fakeOpener.hold()
        let request = try rig.begin("GET", "/api/v1/assets?url=" + target)
        await rig.until { rig.player.fakeOpener.waitingCount == 1 }
        request.abandon()
        await rig.until { rig.player.fakeOpener.waitingCount == 0 && rig.time.timerCount == 0 }
        let socket = try await TestSocket(rig)
        socket.command("getAsset", "{\"url\":\"\(target)\"}")
        await rig.until { rig.player.fakeOpener.waitingCount == 1 }
        socket.stream.close()
        await rig.until { rig.player.fakeOpener.waitingCount == 0 }
    }

    @Test("a file can be inspected while all slots for servers are taken")
    func slotsOfFiles() async throws {
        rig.player.fakeOpener.hold()
        let requests = (0..<MediaInspector.capacity).map { _ in Task { await rig.send("GET", "/api/v1/assets?url=http://example.com/a").status } }
        await rig.until { rig.player.fakeOpener.waitingCount == MediaInspector.capacity }
        async let file = rig.send("GET", "/api/v1/assets?url=\(home.path)/music/a.flac")
        await rig.until { rig.player.fakeOpener.waitingCount == MediaInspector.capacity + 1 }
        rig.time.advance(by: MediaInspector.patience)
        #expect(await file.status == 422)
        for request in requests { #expect(await request.value == 422) }
    }

    @Test("inspections beyond the limit are refused")
    func tooManyAssets() async throws {
        let target = "/api/v1/assets?url=http://example.com/a"
        rig.player.fakeOpener.hold()
        let requests = (0..<MediaInspector.capacity).map { _ in Task { await rig.send("GET", target).status } }
        await rig.until { rig.player.fakeOpener.waitingCount == MediaInspector.capacity }
        #expect(await rig.send("GET", target).status == 429)
        rig.time.advance(by: MediaInspector.patience)
        for request in requests { #expect(await request.value == 422) }
    }

    @Test("an inspection that timed out counts towards the limit until its thread has ended, so that a hanging disk does not collect threads")
    func hangingLooks() async throws {
        let target = "/api/v1/assets?url=\(home.path)/music/a.flac"
        rig.player.fakeOpener.hold()
        let requests = (0..<MediaInspector.capacity).map { _ in Task { await rig.send("GET", target).status } }
        await rig.until { rig.player.fakeOpener.waitingCount == MediaInspector.capacity }
        rig.time.advance(by: MediaInspector.patience)
        for request in requests { #expect(await request.value == 422) }
        let refused = await rig.send("GET", target)
        #expect(refused.status == 429 && refused.header("Retry-After") == "1")
        rig.player.fakeOpener.endThreads()
        async let later = rig.send("GET", target)
        await rig.until { rig.player.fakeOpener.waitingCount == 1 }
        rig.time.advance(by: MediaInspector.patience)
        #expect(await later.status == 422)
    }
}
