public import Foundation
import PlaybackEngine

/// The option to request exact timing, even if FFmpeg must read the whole medium for that (R-ASSET-10). The value is a `Bool`, by default false.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// The option for additional header fields of http(s) requests. The value is a `[String: String]`.
public let AVURLAssetHTTPHeaderFieldsKey = "AVURLAssetHTTPHeaderFieldsKey"

/// The protocol that declares `AVAsset(url:)`. An initializer of a class makes exactly that class; an initializer of a protocol can make a subclass,
/// as Apple's initializer does.
public protocol AVAssetCreation {}

extension AVAssetCreation where Self == AVAsset {
    /// Creates an asset for a file or http(s) URL. The asset is an ``AVURLAsset``, so that its URL can be read. The creation does no I/O and cannot
    /// fail (R-ASSET-01).
    ///
    /// - Parameter url: The location of the medium. It is opened when a value is requested, or when a player gets an item of the asset.
    public init(url: URL) { self = AVURLAsset(url: url, options: nil) }
}

/// An asset that is created from a URL.
///
/// `@unchecked Sendable`: this class adds a constant of a Sendable type.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The URL that the asset was created with.
    public let url: URL

    /// Creates an asset of a URL. Unknown options are ignored.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        var (source, error) = MediaSource.resolving(url)
        source?.prefersPreciseDuration = options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? Bool ?? false
        let fields = options?[AVURLAssetHTTPHeaderFieldsKey] as? [String: String] ?? [:]
        source?.httpHeaders = fields.sorted { $0.key < $1.key }.map { MetadataEntry(key: $0.key, value: $0.value) }
        super.init(source: source, error: error, environment: { .default })
    }
}
