public import Foundation
package import Platform
public import PlaybackEngine

/// An immutable description of a medium (R-ASSET-02). Making an asset does no I/O and cannot fail (R-ASSET-01): properties are loaded on request.
/// Several items may play one asset (R-ASSET-03), which may be used on any thread.
///
/// `@unchecked Sendable`: the compiler cannot check an open class; the stored properties are constants of Sendable types.
open class AVAsset: NSObject, AVAssetCreation, @unchecked Sendable {
    let loader: AssetLoader
    /// The location of the medium; nil if the URL can never be opened.
    package let source: MediaSource?
    /// Why the URL can never be opened; nil if it may be opened.
    package let sourceError: PlaybackError?

    init(source: MediaSource?, error: PlaybackError?, environment: @escaping @Sendable () -> PlaybackEnvironment) {
        self.source = source
        sourceError = error
        loader = AssetLoader(source: source, failure: error, environment: environment)
        super.init()
    }

    /// Makes an asset of a location that the caller has checked, opened by `environment`. Not in Apple's API.
    public convenience init(source: MediaSource, environment: PlaybackEnvironment) {
        self.init(source: source, error: nil, environment: { environment })
    }

    deinit { loader.cancel() }

    /// Cancels loading for all callers; programs call it after their last use of the asset (R-KEY-10).
    open func cancelLoading() { loader.cancel() }
}

extension MediaSource {
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
    /// The path of a `file:` URL or a URL without a scheme; nil if the text is no URL. The path need not be UTF-8; it is empty if the URL has no
    /// path, or malformed percent-encoding.
    package init?(fileURL text: String) {
        guard let url = URL(string: text) else { return nil }
        // `path` is empty if its bytes are not UTF-8.
        let path = url.path
        self = path.isEmpty ? FilePath(bytes: PercentEncoding.decodedBytes(url.path(percentEncoded: true)) ?? []) : FilePath(path)
    }
}
