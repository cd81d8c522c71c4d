public import CoreMedia
import Dispatch

/// The getters that may block (R-ASSET-04).
extension AVAsset {
    /// Loads a property, blocking the calling thread until it is known; nil where that fails (R-ASSET-05). Never called by this library.
    private func waiting<T>(for property: AVAsyncProperty<AVAsset, T>) -> T? {
        let done = DispatchSemaphore(value: 0)
        loader.load([property.key]) { done.signal() }
        done.wait()
        return property.read(self)
    }

    /// Blocks until it is known; indefinite where loading failed (R-ASSET-05). Prefer `load(.duration)`.
    @available(*, deprecated, message: "use load(.duration)")
    public var duration: CMTime { waiting(for: .duration) ?? .indefinite }
    /// Blocks until it is known; empty where loading failed. Prefer `load(.tracks)`.
    @available(*, deprecated, message: "use load(.tracks)")
    public var tracks: [AVAssetTrack] { waiting(for: .tracks) ?? [] }
    /// Blocks until it is known; false where loading failed. Prefer `load(.isPlayable)`.
    @available(*, deprecated, message: "use load(.isPlayable)")
    public var isPlayable: Bool { waiting(for: .isPlayable) ?? false }
    /// Blocks until it is known; false where loading failed. Prefer `load(.hasProtectedContent)`.
    @available(*, deprecated, message: "use load(.hasProtectedContent)")
    public var hasProtectedContent: Bool { waiting(for: .hasProtectedContent) ?? false }
    /// Blocks until it is known; empty where loading failed. Prefer `load(.commonMetadata)`.
    @available(*, deprecated, message: "use load(.commonMetadata)")
    public var commonMetadata: [AVMetadataItem] { waiting(for: .commonMetadata) ?? [] }
    /// Blocks until it is known; empty where loading failed. Prefer `load(.metadata)`.
    @available(*, deprecated, message: "use load(.metadata)")
    public var metadata: [AVMetadataItem] { waiting(for: .metadata) ?? [] }
    /// Blocks until it is known; false where loading failed. Prefer `load(.providesPreciseDurationAndTiming)`.
    @available(*, deprecated, message: "use load(.providesPreciseDurationAndTiming)")
    public var providesPreciseDurationAndTiming: Bool { waiting(for: .providesPreciseDurationAndTiming) ?? false }
    /// Blocks until it is known; false where loading failed. Prefer `load(.isReadable)`.
    @available(*, deprecated, message: "use load(.isReadable)")
    public var isReadable: Bool { waiting(for: .isReadable) ?? false }
    /// Blocks until it is known; empty where loading failed. Prefer `load(.availableMetadataFormats)`.
    @available(*, deprecated, message: "use load(.availableMetadataFormats)")
    public var availableMetadataFormats: [AVMetadataFormat] { waiting(for: .availableMetadataFormats) ?? [] }
    /// Blocks until it is known; nil where loading failed. Prefer `load(.creationDate)`.
    @available(*, deprecated, message: "use load(.creationDate)")
    public var creationDate: AVMetadataItem? { waiting(for: .creationDate) ?? nil }
    /// Blocks until it is known; nil where loading failed. Prefer `load(.lyrics)`.
    @available(*, deprecated, message: "use load(.lyrics)")
    public var lyrics: String? { waiting(for: .lyrics) ?? nil }

    /// Blocks until they are known; empty where loading failed. Prefer `loadTracks(withMediaType:)`.
    @available(*, deprecated, message: "use loadTracks(withMediaType:)")
    public func tracks(withMediaType type: AVMediaType) -> [AVAssetTrack] { (waiting(for: .tracks) ?? []).filter { $0.mediaType == type } }
    /// Blocks until they are known; empty where loading failed. Prefer `loadMetadata(for:)`.
    @available(*, deprecated, message: "use loadMetadata(for:)")
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        guard waiting(for: .availableMetadataFormats)?.contains(format) == true else { return [] }
        return waiting(for: .metadata) ?? []
    }
}
