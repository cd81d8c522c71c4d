public import CoreMedia
public import Foundation
import PlaybackEngine

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The best known duration of the asset, which may be an estimate unless precise timing was requested. The duration of an asset is indefinite if
    /// the duration is unknown, or if the stream is live (R-ASSET-10).
    public static var duration: AVAsyncProperty<Root, CMTime> { AVAsyncProperty("duration") { $1.isLive ? .indefinite : $1.duration.time } }
    /// Whether the asset's `duration` is exact (R-ASSET-10).
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("providesPreciseDurationAndTiming") { $1.duration.isExact }
    }
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> { AVAsyncProperty("tracks") { [AVAssetTrack(trackID: 1, info: $1)] } }
    /// Whether the asset is expected to be playable. If `isPlayable` is false, an attempt to play the asset is still allowed (R-ASSET-13). If the
    /// medium cannot be opened, loading `isPlayable` throws.
    public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty("playable") { !$1.hasProtectedContent } }
    public static var isReadable: AVAsyncProperty<Root, Bool> { AVAsyncProperty("readable") { !$1.hasProtectedContent } }
    /// Whether the content of the asset is protected. Apple allows protected content to be playable (R-ASSET-13); here `isPlayable` is false for it.
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> { AVAsyncProperty("hasProtectedContent") { $1.hasProtectedContent } }
    public static var preferredRate: AVAsyncProperty<Root, Float> { AVAsyncProperty("preferredRate") { _, _ in 1 } }
    public static var preferredVolume: AVAsyncProperty<Root, Float> { AVAsyncProperty("preferredVolume") { _, _ in 1 } }
    /// The asset's metadata for which Apple defines a common key (title, artist, …), under their common keys (R-ASSET-14).
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> { AVAsyncProperty("commonMetadata") { $1.commonMetadataItems } }
    /// All metadata of the asset, under the keys of its container format (R-ASSET-14).
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> { AVAsyncProperty("metadata") { $1.metadataItems } }
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        AVAsyncProperty("availableMetadataFormats") { $1.metadataItems.isEmpty ? [] : [$1.metadataFormat] }
    }
    /// The languages of the chapter titles. FFmpeg does not report the languages, so an asset with chapters has only the locale "und" (undetermined).
    public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
        AVAsyncProperty("availableChapterLocales") { $1.chapters.isEmpty ? [] : [Locale(identifier: "und")] }
    }
    public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
        AVAsyncProperty("creationDate") { $1.commonMetadataItems.first { $0.commonKey == .commonKeyCreationDate } }
    }
    public static var lyrics: AVAsyncProperty<Root, String?> { AVAsyncProperty("lyrics") { $1.lyrics } }
}

extension AVAsset {
    /// The names of all properties of an asset that can be loaded. An item ignores other names in its list of keys (R-AKEY-05).
    static let knownKeys: Set<String> = [
        "duration", "providesPreciseDurationAndTiming", "tracks", "playable", "readable", "hasProtectedContent", "preferredRate", "preferredVolume",
        "commonMetadata", "metadata", "availableMetadataFormats", "creationDate", "lyrics",
        "availableChapterLocales",
    ]

    /// Loads the asset's tracks of one media type. If the asset has no track of the type, no error is thrown: the result is an empty array
    /// (R-ASSET-12).
    public func loadTracks(withMediaType type: AVMediaType) async throws -> [AVAssetTrack] {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).filter { $0.mediaType == type }
    }

    /// Loads the asset's metadata of one format. If the asset has no metadata of the format, no error is thrown: the result is an empty array
    /// (R-ASSET-14).
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        let (formats, items) = try await load(
            AVAsyncProperty<AVAsset, [AVMetadataFormat]>.availableMetadataFormats, AVAsyncProperty<AVAsset, [AVMetadataItem]>.metadata)
        return formats.contains(format) ? items : []
    }

    /// Loads the asset's tracks that have the characteristic `characteristic`.
    public func loadTracks(withMediaCharacteristic characteristic: AVMediaCharacteristic) async throws -> [AVAssetTrack] {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).filter { $0.hasMediaCharacteristic(characteristic) }
    }

    /// Loads the asset's track with the number `trackID`; returns nil if the asset has no such track.
    public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).first { $0.trackID == trackID }
    }

    /// Loads the chapters of the asset in order, each with its title if it has one. The language of chapter titles is unknown, so every locale
    /// matches.
    ///
    /// - Parameters:
    ///   - locale: The language of the chapter titles.
    ///   - commonKeys: The common keys of further metadata in a group. Common keys have no effect, because a chapter has no metadata except its
    ///     title.
    public func loadChapterMetadataGroups(
        withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
    ) async throws -> [AVTimedMetadataGroup] {
        try await load(AVAsyncProperty<AVAsset, [AVTimedMetadataGroup]>("chapterMetadataGroups") { $1.chapterGroups })
    }

    /// Loads the chapters of the asset in order, like `loadChapterMetadataGroups(withTitleLocale:)`.
    public func loadChapterMetadataGroups(bestMatchingPreferredLanguages languages: [String]) async throws -> [AVTimedMetadataGroup] {
        try await loadChapterMetadataGroups(withTitleLocale: Locale(identifier: languages.first ?? "und"))
    }
}
