public import Foundation
import PlaybackEngine

/// An option: exact timing (`Bool`, by default false), even if FFmpeg must read the whole medium for it (R-ASSET-10).
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// An option: additional header fields of http(s) requests (`[String: String]`).
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// Declares `AVAsset(url:)`: only an initializer in a protocol extension can return an object of a subclass, as Apple's does.
public protocol AVAssetCreation {}

extension AVAssetCreation where Self == AVAsset {
    /// Makes an ``AVURLAsset`` of a file or http(s) URL, so that its URL can be read. Does no I/O and cannot fail (R-ASSET-01): the medium is opened
    /// when a property is requested, or when a player gets an item of the asset.
    public init(url: URL) { self = AVURLAsset(url: url, options: nil) }
}

/// An asset of a URL.
///
/// `@unchecked Sendable`: it adds a constant of a Sendable type to `AVAsset`.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    public let url: URL

    /// Unknown options are ignored.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        var (source, error) = MediaSource.resolving(url)
        source?.prefersPreciseDuration = options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? Bool ?? false
        let fields = options?[AVURLAssetHTTPHeaderFieldsKey] as? [String: String] ?? [:]
        source?.httpHeaders = fields.sorted { $0.key < $1.key }.map { MetadataEntry(key: $0.key, value: $0.value) }
        super.init(source: source, error: error, environment: { .default })
    }
}
