public import Foundation
import PlaybackEngine

/// Ask for exact timing, also where that takes a scan of the whole medium (R-ASSET-10). The value is a `Bool`; default false.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// Extra header fields for http(s) requests. The value is `[String: String]`.
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// What `AVAsset(url:)` is declared in: an initializer of a class makes that class, one of a protocol may make a subclass, as Apple's does.
public protocol AVAssetCreation {}

extension AVAssetCreation where Self == AVAsset {
    /// An asset of a file or http(s) URL: an ``AVURLAsset``, so that its URL can be asked for. Does no I/O and cannot fail (R-ASSET-01).
    ///
    /// - Parameter url: what is to be opened when a value is asked for, or when a player has an item of it.
    public init(url: URL) { self = AVURLAsset(url: url, options: nil) }
}

/// An asset made from a URL.
///
/// `@unchecked Sendable`: adds a constant of a Sendable type.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The URL that it was made with.
    public let url: URL

    /// Makes an asset; unknown options are ignored.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        var (source, error) = MediaSource.resolving(url)
        source?.prefersPreciseDuration = options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? Bool ?? false
        let fields = options?[AVURLAssetHTTPHeaderFieldsKey] as? [String: String] ?? [:]
        source?.httpHeaders = fields.sorted { $0.key < $1.key }.map { MetadataEntry(key: $0.key, value: $0.value) }
        super.init(source: source, error: error, environment: { .default })
    }
}
