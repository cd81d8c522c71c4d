public import CoreMedia
public import Foundation
import PlaybackEngine

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The best duration available, an estimate unless precise timing was asked for; indefinite where it is unknown or live (R-ASSET-10).
    public static var duration: AVAsyncProperty<Root, CMTime> { AVAsyncProperty("duration") { $1.isLive ? .indefinite : $1.duration.time } }
    /// Whether `duration` is exact (R-ASSET-10).
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("providesPreciseDurationAndTiming") { $1.duration.isExact }
    }
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> { AVAsyncProperty("tracks") { [AVAssetTrack(trackID: 1, info: $1)] } }
    /// Whether it should be playable; false forbids no attempt (R-ASSET-13). What cannot be opened fails to load instead.
    public static var isPlayable: AVAsyncProperty<Root, Bool> { AVAsyncProperty("playable") { !$1.hasProtectedContent } }
    public static var isReadable: AVAsyncProperty<Root, Bool> { AVAsyncProperty("readable") { !$1.hasProtectedContent } }
    /// Independent of `isPlayable` (R-ASSET-13).
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> { AVAsyncProperty("hasProtectedContent") { $1.hasProtectedContent } }
    public static var preferredRate: AVAsyncProperty<Root, Float> { AVAsyncProperty("preferredRate") { _, _ in 1 } }
    public static var preferredVolume: AVAsyncProperty<Root, Float> { AVAsyncProperty("preferredVolume") { _, _ in 1 } }
    /// What has a common key, in the common key space (R-ASSET-14).
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> { AVAsyncProperty("commonMetadata") { $1.commonMetadataItems } }
    /// Everything, in the container's own key space (R-ASSET-14).
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> { AVAsyncProperty("metadata") { $1.metadataItems } }
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        AVAsyncProperty("availableMetadataFormats") { $1.metadataItems.isEmpty ? [] : [$1.metadataFormat] }
    }
    /// The languages of the chapters' titles: one that is not known, where there are chapters.
    public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
        AVAsyncProperty("availableChapterLocales") { $1.chapters.isEmpty ? [] : [Locale(identifier: "und")] }
    }
    public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
        AVAsyncProperty("creationDate") { $1.commonMetadataItems.first { $0.commonKey == .commonKeyCreationDate } }
    }
    public static var lyrics: AVAsyncProperty<Root, String?> { AVAsyncProperty("lyrics") { $1.lyrics } }
}

extension AVAsset {
    /// The keys that exist; others are ignored where an item lists them (R-AKEY-05).
    static let knownKeys: Set<String> = [
        "duration", "providesPreciseDurationAndTiming", "tracks", "playable", "readable", "hasProtectedContent", "preferredRate", "preferredVolume",
        "commonMetadata", "metadata", "availableMetadataFormats", "creationDate", "lyrics",
        "availableChapterLocales",
    ]

    /// The tracks of one type; none is an empty array, no error (R-ASSET-12).
    public func loadTracks(withMediaType type: AVMediaType) async throws -> [AVAssetTrack] {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).filter { $0.mediaType == type }
    }

    /// The metadata of one format; none is an empty array, no error (R-ASSET-14).
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        let (formats, items) = try await load(
            AVAsyncProperty<AVAsset, [AVMetadataFormat]>.availableMetadataFormats, AVAsyncProperty<AVAsset, [AVMetadataItem]>.metadata)
        return formats.contains(format) ? items : []
    }

    /// The tracks that are good for something.
    public func loadTracks(withMediaCharacteristic characteristic: AVMediaCharacteristic) async throws -> [AVAssetTrack] {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).filter { $0.hasMediaCharacteristic(characteristic) }
    }

    /// The track of that number, nil where there is none.
    public func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
        try await load(AVAsyncProperty<AVAsset, [AVAssetTrack]>.tracks).first { $0.trackID == trackID }
    }

    /// The chapters in order, each with its title where it has one. Titles are in a language that is not told: any locale finds them.
    ///
    /// - Parameters:
    ///   - locale: the language of the titles.
    ///   - commonKeys: which items a group is to have beside its title. Chapters have no others here.
    public func loadChapterMetadataGroups(
        withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
    ) async throws -> [AVTimedMetadataGroup] {
        try await load(AVAsyncProperty<AVAsset, [AVTimedMetadataGroup]>("chapterMetadataGroups") { $1.chapterGroups })
    }

    /// The chapters in order, as `loadChapterMetadataGroups(withTitleLocale:)`.
    public func loadChapterMetadataGroups(bestMatchingPreferredLanguages languages: [String]) async throws -> [AVTimedMetadataGroup] {
        try await loadChapterMetadataGroups(withTitleLocale: Locale(identifier: languages.first ?? "und"))
    }
}
