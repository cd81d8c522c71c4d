import CRemoteAssets

/// The web remote and the API's contract, embedded in the binary so that a single file is the whole program.
public enum RemoteAssets {
    /// A file as it is served.
    public struct File: Sendable, Hashable {
        /// Relative to the page's root, without a leading slash: `js/main.js`.
        public let path: String
        /// For the `Content-Type` field, with the character set where it is text.
        public let contentType: String
        public let bytes: [UInt8]
    }

    /// Every file of `web/`, by path in alphabetical order.
    public static let files: [File] = {
        var count = 0
        let page = CRemoteAssets_page(&count)
        return UnsafeBufferPointer(start: page, count: count).map(File.init)
    }()

    /// `openapi.yaml`.
    public static let openAPI = File(CRemoteAssets_openAPI())

    /// The media type of a file by its name's extension (RFC 2046, RFC 9239, RFC 9512), `application/octet-stream` where it is not known.
    public static func contentType(ofPath path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return switch name.split(separator: ".").dropFirst().last ?? "" {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "yaml": "application/yaml"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}

extension RemoteAssets.File {
    fileprivate init(_ asset: CRemoteAsset) {
        path = String(cString: asset.path)
        contentType = RemoteAssets.contentType(ofPath: path)
        bytes = Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
    }
}
