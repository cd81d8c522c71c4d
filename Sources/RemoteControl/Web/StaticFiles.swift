import Glibc
import Platform
import Synchronization

/// The files of the web remote. They are embedded in the program, or read from a directory during development.
public struct StaticFiles: Sendable {
    /// The content of one file, with its content type.
    public struct File: Sendable {
        public let contentType: String
        public let bytes: [UInt8]
        let entityTag: String
        /// The rule by which clients may cache the file.
        let cache: HTTPResponse.Cache
        private let compressed: CompressedForm?

        /// Creates a file from its bytes.
        /// - Parameters:
        ///   - isImmutable: Whether the content under the file's path never changes, so that a client need not ask for it again.
        ///   - compress: The function that returns the gzip form of the bytes; nil if the file has no gzip form. The function is called
        ///     once, when the gzip form is first needed.
        public init(contentType: String, bytes: [UInt8], isImmutable: Bool = false, compress: (@Sendable ([UInt8]) -> [UInt8]?)? = nil) {
            self.contentType = contentType
            self.bytes = bytes
            entityTag = EntityTag.content(bytes)
            cache = isImmutable ? .immutable : .revalidate
            compressed = compress.map(CompressedForm.init)
        }

        /// The function that returns the gzip form of the file, or nil if that form is not smaller. The property is nil if the file was created
        /// without a function for compression.
        var gzip: (() -> [UInt8]?)? { compressed.map { form in { form.bytes(of: bytes) } } }
    }

    /// The gzip form of a file. The gzip form is made at the first use and stored.
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
        /// The embedded files by their paths. The paths are compared as bytes, because a request's path may contain thousands of combining marks,
        /// which are slow to compare as `String`.
        case embedded([[UInt8]: File])
        case directory(PathConfinement, AbsolutePath)
    }
    private let source: Source

    /// The maximum size of a served file, in bytes.
    static let maximumSize = 16 << 20

    /// Makes a collection that serves the given files by their path in a URL (`/js/main.js`). The path `/` means `/index.html`.
    public init(_ files: [String: File]) { source = .embedded(Dictionary(uniqueKeysWithValues: files.map { (Array($0.utf8), $1) })) }

    /// Makes a collection that serves the files below a directory, and reads a file at each request. Hidden files, and symlinks that lead outside the
    /// directory, are not served.
    public init(directory: String) throws(PathConfinement.Unusable) {
        guard let path = try? AbsolutePath(directory) else {
            throw PathConfinement.Unusable(description: "the web directory \(directory) is not an absolute path")
        }
        source = .directory(try PathConfinement(roots: [directory]), path)
    }

    /// An empty collection of files.
    public static let none = StaticFiles([:])

    /// Whether the search for a file accesses the file system, and so may block.
    var mayBlock: Bool { if case .directory = source { true } else { false } }

    /// Returns the file for the path of a request, which is still percent-encoded; nil if no such file exists. If `mayBlock` is true, `file` may
    /// block.
    func file(_ path: String) -> File? {
        guard let decoded = PercentEncoding.decoded(path == "/" ? "/index.html" : path) else { return nil }
        switch source {
        case .embedded(let files): return files[Array(decoded.utf8)]
        case .directory(let confinement, let root):
            let segments = decoded.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard segments.allSatisfy({ !$0.isEmpty && $0.first != UInt8(ascii: ".") }), let path = try? AbsolutePath(root.text + decoded),
                let real = try? confinement.resolve(path), PathConfinement.kind(of: real) == .file, let bytes = Self.contents(of: real)
            else { return nil }
            return File(contentType: Self.contentType(ofFileNamed: path.name), bytes: bytes)
        }
    }

    /// Returns the content type for the extension of a file name.
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

    private static func contents(of path: AbsolutePath) -> [UInt8]? {
        let descriptor = open(path.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= 0, status.st_size <= maximumSize else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let length = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count) }
            guard length > 0 else { break }
            count += length
        }
        return Array(bytes[..<count])
    }
}
