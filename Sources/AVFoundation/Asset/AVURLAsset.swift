public import Foundation
import PlaybackEngine

/// The key of an option of `AVURLAsset`: whether exact timing is requested, even if FFmpeg must read the whole medium for it (R-ASSET-10). The
/// option's value is a `Bool`, by default false.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// The key of an option of `AVURLAsset`: additional header fields of http(s) requests. The option's value is a `[String: String]`.
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// The protocol that declares `AVAsset(url:)`. An initializer of a class makes an object of exactly that class; an initializer of a protocol can make
/// a subclass, as Apple's `AVAsset(url:)` does.
public protocol AVAssetCreation {}

extension AVAssetCreation where Self == AVAsset {
    /// Creates an asset for a file or http(s) URL. The asset is an ``AVURLAsset``, so that its URL can be read. The creation of an asset does no I/O
    /// and cannot fail (R-ASSET-01).
    ///
    /// - Parameter url: The location of the medium. The medium is opened when a property of the asset is requested, or when a player gets an item of
    ///   the asset.
    public init(url: URL) { self = AVURLAsset(url: url, options: nil) }
}

/// An asset that is created from a URL.
///
/// `@unchecked Sendable`: `AVURLAsset` adds a constant of a Sendable type to `AVAsset`.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The URL that the asset was created with.
    public let url: URL

    /// Creates an asset of the medium at a URL. Unknown options are ignored.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        var (source, error) = MediaSource.resolving(url)
        source?.prefersPreciseDuration = options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? Bool ?? false
        let fields = options?[AVURLAssetHTTPHeaderFieldsKey] as? [String: String] ?? [:]
        source?.httpHeaders = fields.sorted { $0.key < $1.key }.map { MetadataEntry(key: $0.key, value: $0.value) }
        super.init(source: source, error: error, environment: { .default })
    }
}
