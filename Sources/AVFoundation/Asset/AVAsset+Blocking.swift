public import CoreMedia
import Dispatch

/// The synchronous getters, which may block (R-ASSET-04).
extension AVAsset {
    /// Loads a property, and blocks the calling thread until loading has ended. Returns nil if loading failed (R-ASSET-05). This library itself never
    /// calls the blocking getters.
    private func waiting<T>(for property: AVAsyncProperty<AVAsset, T>) -> T? {
        let done = DispatchSemaphore(value: 0)
        loader.load([property.key]) { done.signal() }
        done.wait()
        return property.read(self)
    }

    /// The duration. Blocks until the duration is loaded; indefinite if loading failed (R-ASSET-05). Prefer `load(.duration)`.
    @available(*, deprecated, message: "use load(.duration)")
    public var duration: CMTime { waiting(for: .duration) ?? .indefinite }
    /// The tracks. Blocks until the tracks are loaded; empty if loading failed. Prefer `load(.tracks)`.
    @available(*, deprecated, message: "use load(.tracks)")
    public var tracks: [AVAssetTrack] { waiting(for: .tracks) ?? [] }
    /// Whether the asset should be playable. Blocks until the value is loaded; false if loading failed. Prefer `load(.isPlayable)`.
    @available(*, deprecated, message: "use load(.isPlayable)")
    public var isPlayable: Bool { waiting(for: .isPlayable) ?? false }
    /// Whether the asset is protected. Blocks until the value is loaded; false if loading failed. Prefer `load(.hasProtectedContent)`.
    @available(*, deprecated, message: "use load(.hasProtectedContent)")
    public var hasProtectedContent: Bool { waiting(for: .hasProtectedContent) ?? false }
    /// The metadata with common keys. Blocks until the metadata are loaded; empty if loading failed. Prefer `load(.commonMetadata)`.
    @available(*, deprecated, message: "use load(.commonMetadata)")
    public var commonMetadata: [AVMetadataItem] { waiting(for: .commonMetadata) ?? [] }
    /// All metadata. Blocks until the metadata are loaded; empty if loading failed. Prefer `load(.metadata)`.
    @available(*, deprecated, message: "use load(.metadata)")
    public var metadata: [AVMetadataItem] { waiting(for: .metadata) ?? [] }
    /// Whether `duration` is exact. Blocks until the value is loaded; false if loading failed. Prefer `load(.providesPreciseDurationAndTiming)`.
    @available(*, deprecated, message: "use load(.providesPreciseDurationAndTiming)")
    public var providesPreciseDurationAndTiming: Bool { waiting(for: .providesPreciseDurationAndTiming) ?? false }
    /// Whether the asset can be read. Blocks until the value is loaded; false if loading failed. Prefer `load(.isReadable)`.
    @available(*, deprecated, message: "use load(.isReadable)")
    public var isReadable: Bool { waiting(for: .isReadable) ?? false }
    /// The formats of the metadata. Blocks until the formats are loaded; empty if loading failed. Prefer `load(.availableMetadataFormats)`.
    @available(*, deprecated, message: "use load(.availableMetadataFormats)")
    public var availableMetadataFormats: [AVMetadataFormat] { waiting(for: .availableMetadataFormats) ?? [] }
    /// The metadata item of the creation date. Blocks until the item is loaded; nil if loading failed. Prefer `load(.creationDate)`.
    @available(*, deprecated, message: "use load(.creationDate)")
    public var creationDate: AVMetadataItem? { waiting(for: .creationDate) ?? nil }
    /// The lyrics. Blocks until the lyrics are loaded; nil if loading failed. Prefer `load(.lyrics)`.
    @available(*, deprecated, message: "use load(.lyrics)")
    public var lyrics: String? { waiting(for: .lyrics) ?? nil }

    /// The tracks of one media type. Blocks until the tracks are loaded; empty if loading failed. Prefer `loadTracks(withMediaType:)`.
    @available(*, deprecated, message: "use loadTracks(withMediaType:)")
    public func tracks(withMediaType type: AVMediaType) -> [AVAssetTrack] { (waiting(for: .tracks) ?? []).filter { $0.mediaType == type } }
    /// The metadata of one format. Blocks until the metadata are loaded; empty if loading failed. Prefer `loadMetadata(for:)`.
    @available(*, deprecated, message: "use loadMetadata(for:)")
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        guard waiting(for: .availableMetadataFormats)?.contains(format) == true else { return [] }
        return waiting(for: .metadata) ?? []
    }
}
