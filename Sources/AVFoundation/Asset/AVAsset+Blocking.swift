public import CoreMedia
import Dispatch

/// The synchronous getters of an asset's properties, which may block (R-ASSET-04).
extension AVAsset {
    /// Loads a property of the asset, and blocks the calling thread until loading has ended. Returns nil if loading failed (R-ASSET-05). Tonearm
    /// itself never calls the blocking getters.
    private func waiting<T>(for property: AVAsyncProperty<AVAsset, T>) -> T? {
        let done = DispatchSemaphore(value: 0)
        loader.load([property.key]) { done.signal() }
        done.wait()
        return property.read(self)
    }

    /// The duration of the asset; indefinite if loading failed (R-ASSET-05). The synchronous getter blocks until the duration is loaded. Asynchronous
    /// code calls `load(.duration)` instead.
    @available(*, deprecated, message: "use load(.duration)")
    public var duration: CMTime { waiting(for: .duration) ?? .indefinite }
    /// The tracks of the asset; empty if loading failed. The synchronous getter blocks until the tracks are loaded. Asynchronous code calls
    /// `load(.tracks)` instead.
    @available(*, deprecated, message: "use load(.tracks)")
    public var tracks: [AVAssetTrack] { waiting(for: .tracks) ?? [] }
    /// Whether the asset is expected to be playable; false if loading failed. The synchronous getter blocks until the property is loaded.
    /// Asynchronous code calls `load(.isPlayable)` instead.
    @available(*, deprecated, message: "use load(.isPlayable)")
    public var isPlayable: Bool { waiting(for: .isPlayable) ?? false }
    /// Whether the asset is protected; false if loading failed. The synchronous getter blocks until the property is loaded. Asynchronous code calls
    /// `load(.hasProtectedContent)` instead.
    @available(*, deprecated, message: "use load(.hasProtectedContent)")
    public var hasProtectedContent: Bool { waiting(for: .hasProtectedContent) ?? false }
    /// The asset's metadata with common keys; empty if loading failed. The synchronous getter blocks until the metadata are loaded. Asynchronous code
    /// calls `load(.commonMetadata)` instead.
    @available(*, deprecated, message: "use load(.commonMetadata)")
    public var commonMetadata: [AVMetadataItem] { waiting(for: .commonMetadata) ?? [] }
    /// All metadata of the asset; empty if loading failed. The synchronous getter blocks until the metadata are loaded. Asynchronous code calls
    /// `load(.metadata)` instead.
    @available(*, deprecated, message: "use load(.metadata)")
    public var metadata: [AVMetadataItem] { waiting(for: .metadata) ?? [] }
    /// Whether the asset's `duration` is exact; false if loading failed. The synchronous getter blocks until the property is loaded. Asynchronous
    /// code calls `load(.providesPreciseDurationAndTiming)` instead.
    @available(*, deprecated, message: "use load(.providesPreciseDurationAndTiming)")
    public var providesPreciseDurationAndTiming: Bool { waiting(for: .providesPreciseDurationAndTiming) ?? false }
    /// Whether the asset can be read; false if loading failed. The synchronous getter blocks until the property is loaded. Asynchronous code calls
    /// `load(.isReadable)` instead.
    @available(*, deprecated, message: "use load(.isReadable)")
    public var isReadable: Bool { waiting(for: .isReadable) ?? false }
    /// The formats of the asset's metadata; empty if loading failed. The synchronous getter blocks until the formats are loaded. Asynchronous code
    /// calls `load(.availableMetadataFormats)` instead.
    @available(*, deprecated, message: "use load(.availableMetadataFormats)")
    public var availableMetadataFormats: [AVMetadataFormat] { waiting(for: .availableMetadataFormats) ?? [] }
    /// The metadata item of the asset's creation date; nil if loading failed. The synchronous getter blocks until the metadata item is loaded.
    /// Asynchronous code calls `load(.creationDate)` instead.
    @available(*, deprecated, message: "use load(.creationDate)")
    public var creationDate: AVMetadataItem? { waiting(for: .creationDate) ?? nil }
    /// The lyrics of the asset; nil if loading failed. The synchronous getter blocks until the lyrics are loaded. Asynchronous code calls
    /// `load(.lyrics)` instead.
    @available(*, deprecated, message: "use load(.lyrics)")
    public var lyrics: String? { waiting(for: .lyrics) ?? nil }

    /// Returns the asset's tracks of one media type; empty if loading failed. The call blocks until the tracks are loaded. Asynchronous code calls
    /// `loadTracks(withMediaType:)` instead.
    @available(*, deprecated, message: "use loadTracks(withMediaType:)")
    public func tracks(withMediaType type: AVMediaType) -> [AVAssetTrack] { (waiting(for: .tracks) ?? []).filter { $0.mediaType == type } }
    /// Returns the asset's metadata of one format; empty if loading failed. The call blocks until the metadata are loaded. Asynchronous code calls
    /// `loadMetadata(for:)` instead.
    @available(*, deprecated, message: "use loadMetadata(for:)")
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        guard waiting(for: .availableMetadataFormats)?.contains(format) == true else { return [] }
        return waiting(for: .metadata) ?? []
    }
}
