import Platform
import Synchronization

/// The files of the web remote: embedded, or in a directory during development.
public struct StaticFiles: Sendable {
    /// The content of one file, with its content type.
    public struct File: Sendable {
        public let contentType: String
        public let bytes: [UInt8]
        let entityTag: String
        let cache: HTTPResponse.Cache
        private let compressed: CompressedForm?

        /// - Parameter compress: The function that returns the gzip form, called when it is first needed.
        public init(contentType: String, bytes: [UInt8], isImmutable: Bool = false, compress: (@Sendable ([UInt8]) -> [UInt8]?)? = nil) {
            self.contentType = contentType
            self.bytes = bytes
            entityTag = EntityTag.content(bytes)
            cache = isImmutable ? .immutable : .revalidate
            compressed = compress.map(CompressedForm.init)
        }

        /// The function that makes the gzip form; it returns nil if the form is not smaller.
        var gzip: (() -> [UInt8]?)? { compressed.map { form in { form.bytes(of: bytes) } } }
    }

    /// The gzip form, made at the first use.
    private final class CompressedForm: Sendable {
        private let compress: @Sendable ([UInt8]) -> [UInt8]?
        private let made = Mutex<[UInt8]??>(nil)
        init(_ compress: @escaping @Sendable ([UInt8]) -> [UInt8]?) { self.compress = compress }

        func bytes(of plain: [UInt8]) -> [UInt8]? {
            made.withLock { made in
                if let known = made { return known }
                let new = compress(plain).flatMap { $0.count < plain.count ? $0 : nil }
                made = .some(new)
                return new
            }
        }
    }

    private enum Source: Sendable {
        /// The embedded files, keyed by bytes, because a path may contain thousands of combining marks, which are slow to compare as `String`.
        case embedded([[UInt8]: File])
        case directory(PathConfinement, AbsolutePath)
    }
    private let source: Source

    /// The greatest size of a file, in bytes.
    static let maximumSize = 16 << 20

    /// Takes the files by their path in a URL (`/js/main.js`); `/` means `/index.html`.
    public init(_ files: [String: File]) { source = .embedded(Dictionary(uniqueKeysWithValues: files.map { (Array($0.utf8), $1) })) }

    /// Serves a directory, and reads a file at each request. Hidden files, and symlinks that lead outside, are not served.
    public init(directory: String) throws(PathConfinement.Unusable) {
        guard let path = try? AbsolutePath(directory) else {
            throw PathConfinement.Unusable(description: "the web directory \(directory) is not an absolute path")
        }
        let confinement = try PathConfinement(roots: [directory])
        guard confinement.missingRoots.isEmpty else {
            throw PathConfinement.Unusable(description: "the web directory \(directory) does not exist")
        }
        source = .directory(confinement, path)
    }

    public static let none = StaticFiles([:])

    /// Whether the search for a file (`file`) accesses the file system.
    var mayBlock: Bool { if case .directory = source { true } else { false } }

    /// The file at `path`, which is still percent-encoded. Blocks if `mayBlock`.
    func file(_ path: String) -> File? {
        guard let decoded = PercentEncoding.decoded(path == "/" ? "/index.html" : path) else { return nil }
        switch source {
        case .embedded(let files): return files[Array(decoded.utf8)]
        case .directory(let confinement, let root):
            let segments = decoded.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard segments.allSatisfy({ !$0.isEmpty && $0.first != UInt8(ascii: ".") }), let path = try? AbsolutePath(root.text + decoded),
                let bytes = (try? confinement.open(path))?.file.content(sizes: 0...Self.maximumSize)
            else { return nil }
            return File(contentType: Self.contentType(ofFileNamed: path.name), bytes: bytes)
        }
    }

    public static func contentType(ofFileNamed name: String) -> String {
        switch name.split(separator: ".").last?.lowercased() {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        case "yaml": "application/yaml"
        default: "application/octet-stream"
        }
    }
}
