import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Metadata, tracks and chapters of assets") @MainActor struct AssetMetadataTests {
    let rig = ScriptedRig()

    /// Makes an asset with tags. Its medium has the container format `container`, by FFmpeg's name.
    private func asset(_ container: String, _ tags: [(String, String)] = [], artwork: Artwork? = nil) -> AVAsset {
        var medium = ScriptedMedium(seconds: 10, metadata: tags.map { MetadataEntry(key: $0.0, value: $0.1) }, artwork: artwork)
        medium.info.containerName = container
        rig.add("a", medium)
        return rig.asset(of: "a")
    }

    @Test(
        "each container format has its own keys, and all share the common ones (R-ASSET-14)",
        arguments: [
            ("mp3", AVMetadataFormat.id3Metadata, AVMetadataKeySpace.id3, ["TIT2", "TPE2", "TRCK", "replaygain_track_gain", "USLT"]),
            ("mov,mp4,m4a,3gp,3g2,mj2", .iTunesMetadata, .iTunes, ["©nam", "aART", "trkn", "replaygain_track_gain", "©lyr"]),
            ("ogg", .vorbisComment, .vorbisComment, ["TITLE", "ALBUMARTIST", "TRACKNUMBER", "REPLAYGAIN_TRACK_GAIN", "LYRICS-ENG"]),
            ("ape", .ape, .ape, ["Title", "Album Artist", "Track", "Replaygain_track_gain", "Lyrics-eng"]),
            ("matroska,webm", .unified, .unified, ["title", "album_artist", "track", "replaygain_track_gain", "lyrics-eng"]),
        ])
    func formats(container: String, format: AVMetadataFormat, space: AVMetadataKeySpace, keys: [String]) async throws {
        let tags = [("title", "Song"), ("album_artist", "Band"), ("track", "3"), ("replaygain_track_gain", "-7 dB"), ("lyrics-eng", "la")]
        let asset = asset(container, tags)
        #expect(try await asset.load(.availableMetadataFormats) == [format])
        let items = try await asset.loadMetadata(for: format)
        #expect(items.map(\.key) == keys)
        #expect(items.allSatisfy { $0.keySpace == space })
        #expect(try await asset.load(.lyrics) == "la")
        let common = try await asset.load(.commonMetadata)
        #expect(common.map(\.identifier) == [.commonIdentifierTitle])
        #expect(AVMetadataItem.metadataItems(from: items, filteredByIdentifier: .commonIdentifierTitle).map(\.stringValue) == ["Song"])
        #expect(AVMetadataItem.metadataItems(from: items, withKey: keys[2], keySpace: space).map(\.stringValue) == ["3"])
    }

    @Test("each value of a tag with several is an item (R-ASSET-21)")
    func severalValues() async throws {
        let asset = asset("mp3", [("artist", "Alice"), ("artist", "Bob"), ("title", "Song")])
        let (all, common) = try await asset.load(.metadata, .commonMetadata)
        #expect(all.map(\.key) == ["TPE1", "TPE1", "TIT2"] && all.map(\.stringValue) == ["Alice", "Bob", "Song"])
        #expect(AVMetadataItem.metadataItems(from: common, filteredByIdentifier: .commonIdentifierArtist).map(\.stringValue) == ["Alice", "Bob"])
    }

    @Test("an asset without metadata has no formats and no items, and loads without an error (R-ASSET-14)")
    func nothing() async throws {
        let asset = asset("mp3")
        let (formats, all, common, lyrics, date) = try await asset.load(
            .availableMetadataFormats, .metadata, .commonMetadata, .lyrics, .creationDate)
        #expect(formats.isEmpty && all.isEmpty && common.isEmpty && lyrics == nil && date == nil)
        #expect(try await asset.loadMetadata(for: .id3Metadata).isEmpty)
    }

    @Test("artwork is a metadata item with bytes and their media type")
    func artwork() async throws {
        let asset = asset("mp3", artwork: Artwork(mimeType: "image/png", data: [1, 2, 3]))
        let items = AVMetadataItem.metadataItems(from: try await asset.load(.commonMetadata), filteredByIdentifier: .commonIdentifierArtwork)
        let item = try #require(items.first)
        #expect(try await item.load(.dataValue) == Data([1, 2, 3]))
        #expect(item.dataType == "image/png" && item.stringValue == nil && item.numberValue == nil)
        #expect(try await asset.load(.metadata).map(\.identifier) == [.id3MetadataAttachedPicture])
    }

    @Test("a metadata item has a number or a date if its text is one")
    func values() async throws {
        let asset = asset("mov", [("track", "3/12"), ("disc", " 2 "), ("date", "2024-05-17T20:15:30+02:00"), ("title", "¿?")])
        let items = try await asset.load(.metadata)
        #expect(items.map { $0.numberValue?.doubleValue } == [nil, 2, nil, nil])
        #expect(items[3].identifier == .iTunesMetadataSongName && items[0].identifier == .iTunesMetadataTrackNumber)
        let (text, date) = try await items[2].load(.stringValue, .dateValue)
        #expect(text == "2024-05-17T20:15:30+02:00" && date?.timeIntervalSince1970 == 1_715_969_730)
    }

    @Test("a text of more than 64 bytes is neither a number nor a date")
    func longValues() {
        let padded = ["2024", "2024 "].map { $0 + String(repeating: " ", count: 60) }
        let items = padded.map { AVMetadataItem(commonKey: nil, keySpace: .id3, key: "TDRC", string: $0) }
        #expect(items.map { $0.numberValue?.intValue } == [2024, nil])
        #expect(items.map { $0.dateValue?.timeIntervalSince1970 } == [1_704_067_200, nil])
    }

    @Test(
        "a date in a tag is parsed from the year on, and an invalid one is nil",
        arguments: [
            ("2024", 1_704_067_200), ("2024-05", 1_714_521_600), ("2024-05-17", 1_715_904_000), ("2024-05-17 20:15", 1_715_976_900),
            (" 2024-05-17T20:15:30.25Z ", 1_715_976_930), ("1970-01-01T00:00-01:30", 5_400), ("2024-02-30", nil), ("2024-13", nil), ("24", nil),
            ("2024-05-17T24:00", nil), ("yesterday", nil), ("", nil), ("20240517", nil),
        ] as [(String, Double?)])
    func dates(text: String, seconds: Double?) { #expect(MetadataDate.parse(text)?.timeIntervalSince1970 == seconds) }

    @Test("chapters are groups with a title and the exact times of the medium")
    func chapters() async throws {
        var medium = ScriptedMedium(seconds: 10)
        medium.info.chapters = [
            MediaChapter(title: "One", start: 0, end: 0.29), MediaChapter(title: "", start: 0.29, end: 7),
            MediaChapter(title: "Far", start: 7, end: 1e300),
        ]
        rig.add("a", medium)
        let asset = rig.asset(of: "a")
        let locales = try await asset.load(.availableChapterLocales)
        let groups = try await asset.loadChapterMetadataGroups(withTitleLocale: try #require(locales.first))
        #expect(groups.map { $0.items.first?.stringValue } == ["One", nil, "Far"])
        #expect(groups.map(\.timeRange.start) == [.zero, CMTime(value: 29, timescale: 100), CMTime(value: 7, timescale: 1)])
        #expect(groups[0].timeRange.end == CMTime(value: 29, timescale: 100))
        #expect(groups[2].timeRange.end.isPositiveInfinity || groups[2].timeRange.end > groups[2].timeRange.start)
        #expect(try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["de"]).count == 3)
        #expect(try await rig.asset("b").load(.availableChapterLocales).isEmpty)
    }

    @Test("tracks are found by type, characteristic and number; no match is an empty array, not an error (R-ASSET-12)")
    func tracks() async throws {
        let asset = asset("wav")
        let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
        #expect(try await asset.loadTracks(withMediaType: .video).isEmpty)
        #expect(try await asset.loadTracks(withMediaCharacteristic: .visual).isEmpty)
        #expect(try await asset.loadTracks(withMediaCharacteristic: .audible).count == 1)
        #expect(try await asset.loadTrack(withTrackID: 1)?.mediaType == .audio)
        #expect(try await asset.loadTrack(withTrackID: 2) == nil)
        let (range, scale, isEnabled, isPlayable, formats) = try await track.load(
            .timeRange, .naturalTimeScale, .isEnabled, .isPlayable, .formatDescriptions)
        #expect(range == CMTimeRange(start: .zero, duration: ms(10_000)) && scale == 1_000 && isEnabled && isPlayable)
        let format = try #require(formats.first)
        #expect(format.mediaType == .audio && format.mediaSubType == .linearPCM)
        let description = try #require(format.audioStreamBasicDescription)
        #expect(description.mSampleRate == 1_000 && description.mChannelsPerFrame == 2 && description.mBitsPerChannel == 16)
        #expect(description.mBytesPerFrame == 4 && description.mFramesPerPacket == 1)
    }

    @Test(
        "format descriptions have Apple's codes of the codecs",
        arguments: [("mp3", ".mp3"), ("flac", "flac"), ("aac", "aac "), ("vorbis", "vorb"), ("x", "x   ")])
    func codecs(name: String, letters: String) {
        var info = ScriptedMedium(seconds: 1).info
        info.codecName = name
        let description = CMFormatDescription(info)
        #expect(description.mediaSubType.rawValue == FourCharCode(letters: letters))
        #expect(CMFormatDescriptionGetMediaSubType(description) == FourCharCode(letters: letters))
        #expect(description.audioStreamBasicDescription?.mBytesPerFrame == 0)
    }

    @Test("a cancelled key is reported as failed with operationCancelled (R-KEY-02), and the statuses have Apple's raw values (R-KEY-01)")
    func cancelled() async throws {
        rig.add("slow", ScriptedMedium(seconds: 4, isHeld: true))
        let asset = rig.asset(of: "slow")
        asset.loadValuesAsynchronously(forKeys: ["duration"])
        guard case .loading = asset.status(of: .duration) else {
            Issue.record("not loading")
            return
        }
        asset.cancelLoading()
        guard case .failed(let error) = asset.status(of: .duration) else {
            Issue.record("not failed")
            return
        }
        #expect(error.domain == AVFoundationErrorDomain && error.code == -11_878)
        #expect([AVKeyValueStatus.unknown, .loading, .loaded, .failed, .cancelled].map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test("loaded values of an asset never change, while its item reports new ones (R-ASSET-02)")
    func immutable() async throws {
        rig.add("a", ScriptedMedium(seconds: 7, isEstimated: true, metadata: [MetadataEntry(key: "title", value: "Old")]))
        let asset = rig.asset(of: "a")
        #expect(try await asset.load(.duration) == ms(7_000))
        rig.add("a", ScriptedMedium(seconds: 9, metadata: [MetadataEntry(key: "title", value: "New")]))
        let item = AVPlayerItem(asset: asset)
        let player = rig.player(item)
        rig.run()
        #expect(item.status == .readyToPlay && item.duration == ms(9_000))
        let (duration, metadata) = try await asset.load(.duration, .commonMetadata)
        #expect(duration == ms(7_000) && metadata.map(\.stringValue) == ["Old"])
        _ = player
    }

    @Test("custom header fields of an asset are part of its source")
    func headers() {
        let asset = AVURLAsset(
            url: URL(string: "http://example.org/song")!,
            options: [AVURLAssetHTTPHeaderFieldsKey: ["X-Token": "7", "Accept": "audio/*"], "unknown": 1])
        #expect(asset.source?.httpHeaders == [MetadataEntry(key: "Accept", value: "audio/*"), MetadataEntry(key: "X-Token", value: "7")])
    }
}
