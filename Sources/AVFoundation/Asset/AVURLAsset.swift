public import Foundation
import PlaybackEngine

/// Requests exact timing, even if that needs a scan of the whole medium (R-ASSET-10). The value is a `Bool`; default false.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// Extra header fields for http(s) requests. The value is `[String: String]`.
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// The protocol that declares `AVAsset(url:)`. An initializer of a class makes exactly that class; an initializer of a protocol can make a subclass,
/// as Apple's does.
public protocol AVAssetCreation {}

extension AVAssetCreation where Self == AVAsset {
    /// Creates an asset for a file or http(s) URL. It is an ``AVURLAsset``, so that its URL can be read. Does no I/O and cannot fail (R-ASSET-01).
    ///
    /// - Parameter url: the location that is opened when a value is requested, or when a player gets an item of the asset.
    public init(url: URL) { self = AVURLAsset(url: url, options: nil) }
}

/// An asset that is created from a URL.
///
/// `@unchecked Sendable`: adds a constant of a Sendable type.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The URL that the asset was created with.
    public let url: URL

    /// Creates an asset. Unknown options are ignored.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        var (source, error) = MediaSource.resolving(url)
        source?.prefersPreciseDuration = options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? Bool ?? false
        let fields = options?[AVURLAssetHTTPHeaderFieldsKey] as? [String: String] ?? [:]
        source?.httpHeaders = fields.sorted { $0.key < $1.key }.map { MetadataEntry(key: $0.key, value: $0.value) }
        super.init(source: source, error: error, environment: { .default })
    }
}
