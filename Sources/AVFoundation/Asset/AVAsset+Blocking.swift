public import CoreMedia
import Dispatch

/// The synchronous getters of an asset's properties, which may block (R-ASSET-04).
extension AVAsset {
    /// Blocks until loading the property has ended; nil if it failed (R-ASSET-05). Tonearm itself never calls the blocking getters.
    private func waiting<T>(for property: AVAsyncProperty<AVAsset, T>) -> T? {
        let done = DispatchSemaphore(value: 0)
        loader.load([property.key]) { done.signal() }
        done.wait()
        return property.read(self)
    }

    /// Blocks; indefinite if loading failed (R-ASSET-05).
    @available(*, deprecated, message: "use load(.duration)")
    public var duration: CMTime { waiting(for: .duration) ?? .indefinite }
    /// Blocks; empty if loading failed.
    @available(*, deprecated, message: "use load(.tracks)")
    public var tracks: [AVAssetTrack] { waiting(for: .tracks) ?? [] }
    /// Blocks; false if loading failed.
    @available(*, deprecated, message: "use load(.isPlayable)")
    public var isPlayable: Bool { waiting(for: .isPlayable) ?? false }
    /// Blocks; false if loading failed.
    @available(*, deprecated, message: "use load(.hasProtectedContent)")
    public var hasProtectedContent: Bool { waiting(for: .hasProtectedContent) ?? false }
    /// Blocks; empty if loading failed.
    @available(*, deprecated, message: "use load(.commonMetadata)")
    public var commonMetadata: [AVMetadataItem] { waiting(for: .commonMetadata) ?? [] }
    /// Blocks; empty if loading failed.
    @available(*, deprecated, message: "use load(.metadata)")
    public var metadata: [AVMetadataItem] { waiting(for: .metadata) ?? [] }
    /// Blocks; false if loading failed.
    @available(*, deprecated, message: "use load(.providesPreciseDurationAndTiming)")
    public var providesPreciseDurationAndTiming: Bool { waiting(for: .providesPreciseDurationAndTiming) ?? false }
    /// Blocks; false if loading failed.
    @available(*, deprecated, message: "use load(.isReadable)")
    public var isReadable: Bool { waiting(for: .isReadable) ?? false }
    /// Blocks; empty if loading failed.
    @available(*, deprecated, message: "use load(.availableMetadataFormats)")
    public var availableMetadataFormats: [AVMetadataFormat] { waiting(for: .availableMetadataFormats) ?? [] }
    /// Blocks; nil if loading failed.
    @available(*, deprecated, message: "use load(.creationDate)")
    public var creationDate: AVMetadataItem? { waiting(for: .creationDate) ?? nil }
    /// Blocks; nil if loading failed.
    @available(*, deprecated, message: "use load(.lyrics)")
    public var lyrics: String? { waiting(for: .lyrics) ?? nil }

    /// Blocks; empty if loading failed.
    @available(*, deprecated, message: "use loadTracks(withMediaType:)")
    public func tracks(withMediaType type: AVMediaType) -> [AVAssetTrack] { (waiting(for: .tracks) ?? []).filter { $0.mediaType == type } }
    /// Blocks; empty if loading failed.
    @available(*, deprecated, message: "use loadMetadata(for:)")
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        guard waiting(for: .availableMetadataFormats)?.contains(format) == true else { return [] }
        return waiting(for: .metadata) ?? []
    }
}
