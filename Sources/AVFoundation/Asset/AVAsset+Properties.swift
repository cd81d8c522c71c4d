public import CoreMedia
import Foundation
import PlaybackEngine

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The duration, which may be an estimate unless precise timing was requested; indefinite if it is unknown or the medium is live (R-ASSET-10).
    public static var duration: AVAsyncProperty<Root, CMTime> { AVAsyncProperty("duration") { $1.isLive ? .indefinite : $1.duration.time } }
    /// Whether the `duration` is exact (R-ASSET-10).
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("providesPreciseDurationAndTiming") { $1.duration.isExact }
    }
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> { AVAsyncProperty("tracks") { [AVAssetTrack(trackID: 1, info: $1)] } }
    /// If false, a program may still try to play (R-ASSET-13). Loading throws if the medium cannot be opened.
    public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty("playable") { !$1.hasProtectedContent } }
    public static var isReadable: AVAsyncProperty<Root, Bool> { AVAsyncProperty("readable") { !$1.hasProtectedContent } }
    /// If true, `isPlayable` is false; on Apple's systems, `isPlayable` may then be true too (R-ASSET-13).
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> { AVAsyncProperty("hasProtectedContent") { $1.hasProtectedContent } }
    public static var preferredRate: AVAsyncProperty<Root, Float> { AVAsyncProperty("preferredRate") { _, _ in 1 } }
    public static var preferredVolume: AVAsyncProperty<Root, Float> { AVAsyncProperty("preferredVolume") { _, _ in 1 } }
    /// The metadata with a common key (title, artist, …), under these keys (R-ASSET-14).
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> { AVAsyncProperty("commonMetadata") { $1.commonMetadataItems } }
    /// The metadata under the keys of the container format (R-ASSET-14).
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> { AVAsyncProperty("metadata") { $1.metadataItems } }
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        AVAsyncProperty("availableMetadataFormats") { $1.metadataItems.isEmpty ? [] : [$1.metadataFormat] }
    }
    /// FFmpeg does not report languages, so an asset with chapters has only "und" (undetermined).
    public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
        AVAsyncProperty("availableChapterLocales") { $1.chapters.isEmpty ? [] : [Locale(identifier: "und")] }
    }
    public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
        AVAsyncProperty("creationDate") { $1.commonMetadataItems.first { $0.commonKey == .commonKeyCreationDate } }
    }
    public static var lyrics: AVAsyncProperty<Root, String?> { AVAsyncProperty("lyrics") { $1.lyrics } }
}

extension AVAsset {
    /// The keys that an item accepts in its list of keys; it ignores other names (R-AKEY-05).
    static let knownKeys: Set<String> = [
        "duration", "providesPreciseDurationAndTiming", "tracks", "playable", "readable", "hasProtectedContent", "preferredRate", "preferredVolume",
        "commonMetadata", "metadata", "availableMetadataFormats", "creationDate", "lyrics",
        "availableChapterLocales",
    ]

    /// The tracks of a type; empty if there are none (R-ASSET-12).
    public func loadTracks(withMediaType type: AVMediaType) async throws -> [AVAssetTrack] {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).filter { $0.mediaType == type }
    }

    /// The metadata of a format; empty if there are none (R-ASSET-14).
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        let (formats, items) = try await load(
            AVAsyncProperty<AVAsset, [AVMetadataFormat]>.availableMetadataFormats, AVAsyncProperty<AVAsset, [AVMetadataItem]>.metadata)
        return formats.contains(format) ? items : []
    }

    public func loadTracks(withMediaCharacteristic characteristic: AVMediaCharacteristic) async throws -> [AVAssetTrack] {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).filter { $0.hasMediaCharacteristic(characteristic) }
    }

    public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).first { $0.trackID == trackID }
    }

    /// The chapters in order, each with its title if it has one. Languages are unknown, so every locale matches; a chapter has no metadata but its
    /// title, so `commonKeys` has no effect.
    public func loadChapterMetadataGroups(
        withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
    ) async throws -> [AVTimedMetadataGroup] {
        try await load(AVAsyncProperty<AVAsset, [AVTimedMetadataGroup]>("chapterMetadataGroups") { $1.chapterGroups })
    }

    /// Does the same as `loadChapterMetadataGroups(withTitleLocale:)`, because the languages of chapters are unknown.
    public func loadChapterMetadataGroups(bestMatchingPreferredLanguages languages: [String]) async throws -> [AVTimedMetadataGroup] {
        try await loadChapterMetadataGroups(withTitleLocale: Locale(identifier: languages.first ?? "und"))
    }
}
