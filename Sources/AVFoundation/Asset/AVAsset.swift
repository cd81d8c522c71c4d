import Foundation
package import Platform
public import PlaybackEngine

/// An immutable description of a medium (R-ASSET-02). The creation of an asset does no I/O and cannot fail (R-ASSET-01): the properties of an asset
/// are loaded on request.
///
/// Several items may play one asset (R-ASSET-03). An asset may be used on any thread, because a lock protects its state.
///
/// `@unchecked Sendable`: the compiler cannot check an open class. The stored properties of `AVAsset` are constants of Sendable types.
open class AVAsset: AVAssetCreation, @unchecked Sendable {
    let loader: AssetLoader
    /// The location of the medium that the engine opens; nil if the URL can never be opened.
    package let source: MediaSource?
    /// The reason why the URL can never be opened; nil if `source` has a value.
    package let sourceError: PlaybackError?

    init(source: MediaSource?, error: PlaybackError?, environment: @escaping @Sendable () -> PlaybackEnvironment) {
        self.source = source
        sourceError = error
        loader = AssetLoader(source: source, failure: error, environment: environment)
    }

    /// Creates an asset for a media location that the caller has checked. The medium is opened with the opener of `environment`. Apple's API has no
    /// `init(source:environment:)`.
    public convenience init(source: MediaSource, environment: PlaybackEnvironment) {
        self.init(source: source, error: nil, environment: { environment })
    }

    deinit { loader.cancel() }

    /// Cancels all loads of this asset in progress, for all callers. Programs call `cancelLoading` after the last use of the asset (R-KEY-10).
    open func cancelLoading() { loader.cancel() }
}

extension AVAsset: Hashable {
    /// Assets are equal when they are the same object.
    public static func == (a: AVAsset, b: AVAsset) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MediaSource {
    /// Returns the media location of a URL, or the reason why the URL can never be opened.
    static func resolving(_ url: URL) -> (MediaSource?, PlaybackError?) {
        switch url.scheme?.lowercased() {
        case "file"?, nil:
            guard let path = FilePath(fileURL: url.absoluteString), path.bytes.first == UInt8(ascii: "/"), !path.bytes.contains(0) else {
                return (nil, PlaybackError(.fileNotFound, "The file URL has no absolute path."))
            }
            return (MediaSource(.file(path)), nil)
        case "http"?, "https"?:
            return (MediaSource(.remote(url: url.absoluteString)), nil)
        case let scheme?:
            return (nil, PlaybackError(.unsupportedScheme, "URLs that begin with “\(scheme):” cannot be opened."))
        }
    }
}

extension FilePath {
    /// Makes the path of a `file:` URL, or of a URL without a scheme; nil if the text is no URL. The path need not be UTF-8. It is empty if the URL has
    /// no path, or if its percent-encoding is malformed.
    package init?(fileURL text: String) {
        guard let url = URL(string: text) else { return nil }
        // `path` of a URL is empty if its bytes are not UTF-8.
        let path = url.path
        self = path.isEmpty ? FilePath(bytes: PercentEncoding.decodedBytes(url.path(percentEncoded: true)) ?? []) : FilePath(path)
    }
}
