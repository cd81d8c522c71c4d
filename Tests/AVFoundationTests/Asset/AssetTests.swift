import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVAsset") @MainActor struct AssetTests {
    let rig = ScriptedRig()

    @Test("creating an asset does no I/O and cannot fail (R-ASSET-01); reading a status loads nothing (R-KEY-03)")
    func lazy() {
        let asset = rig.asset(of: "missing")
        guard case .notYetLoaded = asset.status(of: .duration) else {
            Issue.record("not lazy")
            return
        }
        #expect(asset.statusOfValue(forKey: "duration") == .unknown)
        #expect(rig.opener.openCount == 0)
        _ = AVAsset(url: URL(fileURLWithPath: "/nothing/here"))
    }

    @Test("an asset created from a URL is an AVURLAsset with this URL, also as an item's asset (R-ASSET-01, R-AKEY-01)")
    func ofURL() throws {
        let url = try #require(URL(string: "https://example.org/a.flac"))
        #expect((AVAsset(url: url) as? AVURLAsset)?.url == url)
        #expect([url].map(AVAsset.init(url:)).first is AVURLAsset)
        #expect((AVPlayerItem(url: url).asset as? AVURLAsset)?.url == url)
        #expect(AVAsset(url: url).source == AVURLAsset(url: url).source)
    }

    @Test("a file URL names a file by bytes, which need not be UTF-8 (RFC 8089; R-ASSET-01)")
    func bytesOfURL() throws {
        func location(_ text: String) throws -> MediaSource.Location? { AVAsset(url: try #require(URL(string: text))).source?.location }
        #expect(try location("file:///music/caf%E9%20b.flac") == .file(FilePath(bytes: Array("/music/caf".utf8) + [0xE9] + Array(" b.flac".utf8))))
        #expect(try location("file:///music/caf%C3%A9%20b.flac") == .file(path: "/music/café b.flac"))
        #expect(try location("file:///music/%E9%00") == nil)
    }

    @Test("load returns the value, and a second load does no I/O (R-KEY-06, R-KEY-08)")
    func loading() async throws {
        let asset = rig.asset("a", seconds: 7)
        #expect(try await asset.load(.duration) == ms(7_000))
        #expect(try await asset.load(.duration) == ms(7_000))
        #expect(try await asset.load(.isPlayable))
        #expect(rig.opener.openCount == 1)
        guard case .loaded(let value) = asset.status(of: .duration) else {
            Issue.record("not loaded")
            return
        }
        #expect(value == ms(7_000))
        guard case .notYetLoaded = asset.status(of: .tracks) else {
            Issue.record("every key has a status of its own (R-ASSET-15)")
            return
        }
    }

    @Test("load returns several properties as a tuple in the order of its arguments (R-KEY-07)")
    func several() async throws {
        rig.add("a", ScriptedMedium(seconds: 3, metadata: [MetadataEntry(key: "title", value: "Song"), MetadataEntry(key: "weird", value: "x")]))
        let asset = rig.asset(of: "a")
        let (duration, tracks, playable, protected, common, all, formats, precise) = try await asset.load(
            .duration, .tracks, .isPlayable, .hasProtectedContent, .commonMetadata, .metadata, .availableMetadataFormats,
            .providesPreciseDurationAndTiming)
        #expect(duration == ms(3_000) && tracks.count == 1 && playable && !protected && precise)
        #expect(common.map(\.stringValue) == ["Song"])
        #expect(common.first?.commonKey == .commonKeyTitle && common.first?.keySpace == .common)
        #expect(all.count == 2 && formats.count == 1)
        #expect(try await asset.loadMetadata(for: formats[0]).count == 2)
        #expect(try await asset.loadMetadata(for: .id3Metadata).isEmpty)
        #expect(try await asset.loadTracks(withMediaType: .audio).count == 1)
        #expect(try await asset.loadTracks(withMediaType: .video).isEmpty, "no match is an empty array, not an error (R-ASSET-12)")
        #expect(rig.opener.openCount == 1)
    }

    @Test("if a medium cannot be opened, load throws the error that the status reports (R-KEY-06, R-KEY-12)")
    func failing() async throws {
        let asset = rig.asset(of: "missing")
        await #expect { try await asset.load(.duration, .tracks) } throws: { ($0 as NSError).code == -1100 }
        guard case .failed(let error) = asset.status(of: .tracks) else {
            Issue.record("not failed")
            return
        }
        #expect(error.domain == "NSURLErrorDomain" && error.code == -1100)
        #expect(error.localizedDescription == "There is no such file.")
        var outError: NSError?
        #expect(asset.statusOfValue(forKey: "duration", error: &outError) == .failed)
        #expect(outError?.code == -1100)
    }

    @Test("an unsupported scheme fails at once, within the call (R-KEY-05)")
    func scheme() {
        let asset = AVURLAsset(url: URL(string: "gopher://example.org/song")!)
        let log = Recorder()
        asset.loadValuesAsynchronously(forKeys: ["duration", "tracks"]) { log.add("done") }
        #expect(log.log == ["done"])
        #expect(asset.statusOfValue(forKey: "tracks") == .failed)
    }

    @Test("an item with an unsupported scheme fails in a later turn, with an error (R-STATUS-06)")
    func schemeOfItem() {
        let item = AVPlayerItem(asset: AVURLAsset(url: URL(string: "gopher://example.org/song")!))
        let player = rig.player(item)
        #expect(item.status == .unknown)
        rig.run()
        #expect(item.status == .failed)
        #expect((item.error as NSError?)?.code == -1002)
        _ = player
    }

    @Test("loadValues completes once, after every key has a final status (R-KEY-04)")
    func stringKeys() async {
        let asset = rig.asset("a")
        await withCheckedContinuation { continuation in
            asset.loadValuesAsynchronously(forKeys: ["duration", "tracks", "playable"]) { continuation.resume() }
        }
        #expect(asset.statusOfValue(forKey: "duration") == .loaded)
        #expect(asset.statusOfValue(forKey: "tracks") == .loaded)
        #expect(asset.statusOfValue(forKey: "metadata") == .unknown)
    }

    @Test("concurrent loads share one open, and cancellation of one waiting task does not cancel it (R-KEY-09)")
    func sharing() async throws {
        rig.add("slow", ScriptedMedium(seconds: 4, isHeld: true))
        let asset = rig.asset(of: "slow")
        let first = Task { try await asset.load(.duration) }
        let second = Task { try await asset.load(.duration) }
        first.cancel()
        rig.opener.release("/slow")
        #expect(try await second.value == ms(4_000))
        #expect(try await first.value == ms(4_000))
        #expect(rig.opener.openCount == 1)
    }

    @Test("cancelLoading cancels loading keys for all callers and keeps loaded ones (R-KEY-10, R-KEY-11)")
    func cancelling() async throws {
        rig.add("slow", ScriptedMedium(seconds: 4, isHeld: true))
        let asset = rig.asset(of: "slow")
        let done = AsyncStream.makeStream(of: Void.self)
        asset.loadValuesAsynchronously(forKeys: ["duration"]) { done.continuation.yield() }
        #expect(asset.statusOfValue(forKey: "duration") == .loading)
        asset.cancelLoading()
        var iterator = done.stream.makeAsyncIterator()
        await iterator.next()
        #expect(asset.statusOfValue(forKey: "duration") == .cancelled)
        await #expect(throws: AVError.self) { try await asset.load(.duration) }
        rig.opener.release("/slow")
        #expect(try await asset.load(.isPlayable))
        asset.cancelLoading()
        #expect(asset.statusOfValue(forKey: "playable") == .loaded)
    }

    @Test("the open of an item also loads the asset's keys, without a second open (R-ASSET-15)")
    func sharedWithItem() async throws {
        let item = rig.item("a")
        let player = rig.player(item)
        rig.run()
        #expect(try await item.asset.load(.duration) == ms(10_000))
        #expect(try await item.asset.load(.tracks).count == 1)
        #expect(rig.opener.openCount == 0)
        _ = player
    }

    @Test("at readyToPlay every listed key is final (R-AKEY-02); unlisted and unknown keys have no effect (R-AKEY-05)")
    func automaticKeys() {
        let item = AVPlayerItem(asset: rig.asset("a"), automaticallyLoadedAssetKeys: ["playable", "hasProtectedContent", "a typo"])
        let log = Recorder()
        let token = item.observe(\.status) { item, _ in
            log.add("\(item.asset.statusOfValue(forKey: "playable")) \(item.asset.statusOfValue(forKey: "hasProtectedContent"))")
        }
        let player = rig.player(item)
        #expect(item.asset.statusOfValue(forKey: "playable") == .loading)
        rig.run()
        #expect(log.log == ["loaded loaded"])
        #expect(item.asset.statusOfValue(forKey: "tracks") == .unknown)
        token.invalidate()
        _ = player
    }

    @Test("an item fails if one of its listed keys fails (R-AKEY-03, J-1)")
    func automaticKeyFails() {
        rig.add("slow", ScriptedMedium(seconds: 4, isHeld: true))
        let item = AVPlayerItem(asset: rig.asset(of: "slow"), automaticallyLoadedAssetKeys: [.duration, .tracks])
        let player = rig.player(item)
        item.asset.cancelLoading()
        rig.engine.open("/slow")
        rig.run()
        #expect(item.status == .failed)
        #expect((item.error as? AVError)?.code == .operationCancelled)
        _ = player
    }

    @Test("automaticallyLoadedAssetKeys is duration by default (R-AKEY-01)")
    func defaultKeys() {
        let asset = rig.asset("a")
        #expect(AVPlayerItem(asset: asset).automaticallyLoadedAssetKeys == ["duration"])
        #expect(
            AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.tracks, .duration, .commonMetadata]).automaticallyLoadedAssetKeys == [
                "tracks", "duration", "commonMetadata",
            ])
    }

    @Test(
        "precise timing is requested from the opener only if it is preferred and a listed key needs it (R-AKEY-04, R-ASSET-10, section K 17)",
        arguments: [true, false])
    func preciseTiming(listsDuration: Bool) {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/a"), options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
        rig.add("a", ScriptedMedium(seconds: 4))
        let item = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: listsDuration ? ["duration"] : ["playable"])
        let player = rig.player(item)
        let requests = rig.engine.commands.compactMap { if case .load(let request) = $0 { request } else { nil } }
        #expect(requests.map(\.source.prefersPreciseDuration) == [listsDuration])
        rig.run()
        #expect(item.status == .readyToPlay)
        #expect(asset.statusOfValue(forKey: "duration") == (listsDuration ? .loaded : .unknown))
        _ = player
    }

    @Test("blocking getters return the value, or an empty one if loading has failed; duration is then indefinite (R-ASSET-04, R-ASSET-05)")
    @available(*, deprecated) func blockingGetters() {
        let asset = rig.asset("a")
        #expect(asset.duration == ms(10_000) && asset.tracks.count == 1 && asset.isPlayable)
        #expect(asset.tracks(withMediaType: .audio).count == 1 && asset.tracks(withMediaType: .video).isEmpty)
        #expect(asset.isReadable && asset.providesPreciseDurationAndTiming && asset.lyrics == nil && asset.creationDate == nil)
        #expect(asset.availableMetadataFormats.isEmpty && asset.metadata(forFormat: .id3Metadata).isEmpty)
        let missing = rig.asset(of: "missing")
        #expect(missing.duration.isIndefinite && missing.tracks.isEmpty && !missing.isPlayable && missing.metadata.isEmpty)
        var boundaries: [CMTime] = []
        var time = CMTime.zero
        while time < missing.duration {
            time = time + CMTimeMultiplyByFloat64(missing.duration, multiplier: 0.25)
            boundaries.append(time)
        }
        #expect(boundaries.count == 1, "a loop up to an indefinite duration ends after one invalid time (R-CMP-04)")
    }
}

@Suite("AssetKeys") struct AssetKeyTests {
    static let info = ScriptedMedium(seconds: 1).info

    @Test("a key is unknown, then loading, then has one of three final statuses (R-KEY-01)")
    func machine() {
        var keys = AssetKeys()
        #expect(keys.states["duration"] == nil)
        _ = keys.request(["duration"], resume: nil)
        #expect(keys.states["duration"] == .loading && keys.needsOpen)
        keys.openBegan()
        #expect(!keys.needsOpen)
        _ = keys.opened(Self.info, hasTiming: true, ofItem: false)
        #expect(keys.states["duration"] == .loaded)
        _ = keys.failed(PlaybackError(.network, "gone"), ofItem: false)
        _ = keys.cancel()
        #expect(keys.states["duration"] == .loaded)
    }

    @Test("if an item leaves before its open completes, its waiting keys need an open by the asset (R-ASSET-15)")
    func abandoned() {
        var keys = AssetKeys()
        keys.itemOpenBegan()
        _ = keys.request(["duration"], resume: nil)
        #expect(!keys.needsOpen)
        keys.itemOpenAbandoned()
        #expect(keys.needsOpen)
    }

    @Test("an imprecise open of an item leaves the timing keys to a precise one (R-ASSET-10)")
    func imprecise() {
        var keys = AssetKeys()
        keys.itemOpenBegan()
        _ = keys.request(["duration", "tracks"], resume: nil)
        _ = keys.opened(Self.info, hasTiming: false, ofItem: true)
        #expect(keys.states["tracks"] == .loaded)
        #expect(keys.states["duration"] == .loading && keys.needsOpen)
    }
}
