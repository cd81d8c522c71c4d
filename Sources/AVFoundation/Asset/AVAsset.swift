import Foundation
public import PlaybackEngine

/// An immutable description of a medium (R-ASSET-02). Making one does no I/O and cannot fail (R-ASSET-01): values load when they are asked for.
///
/// One asset may back many items (R-ASSET-03). Sendable: all state is behind a lock.
///
/// `@unchecked Sendable`: an open class cannot be checked; its stored properties are constants of Sendable types.
open class AVAsset: AVAssetCreation, @unchecked Sendable {
    let loader: AssetLoader
    /// What the engine is to open; nil where the URL can never be opened.
    package let source: MediaSource?
    /// Why `source` is nil.
    package let sourceError: PlaybackError?

    init(source: MediaSource?, error: PlaybackError?, environment: @escaping @Sendable () -> PlaybackEnvironment) {
        self.source = source
        sourceError = error
        loader = AssetLoader(source: source, failure: error, environment: environment)
    }

    /// An asset of a location that has been checked already, opened in the given environment. Not in Apple's vocabulary.
    public convenience init(source: MediaSource, environment: PlaybackEnvironment) {
        self.init(source: source, error: nil, environment: { environment })
    }

    deinit { loader.cancel() }

    /// Cancels every load that is under way, for all callers: "done with this asset" (R-KEY-10).
    open func cancelLoading() { loader.cancel() }
}

extension AVAsset: Hashable {
    /// Assets are equal when they are the same object.
    public static func == (a: AVAsset, b: AVAsset) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MediaSource {
    /// The location of a URL, or why it can never be opened.
    static func resolving(_ url: URL) -> (MediaSource?, PlaybackError?) {
        switch url.scheme?.lowercased() {
        case "file"?, nil:
            let path = url.path
            guard path.hasPrefix("/"), !path.contains("\0") else {
                return (nil, PlaybackError(.fileNotFound, "The file has no absolute path."))
            }
            return (MediaSource(.file(path: path)), nil)
        case "http"?, "https"?:
            return (MediaSource(.remote(url: url.absoluteString)), nil)
        case let scheme?:
            return (nil, PlaybackError(.unsupportedScheme, "URLs that begin with “\(scheme):” cannot be opened."))
        }
    }
}
