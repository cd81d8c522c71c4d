import CRemoteAssets

/// The files that the server serves for the page, made from the embedded files.
///
/// All files that the page loads are in a folder whose name is a hash of their content. If a content changes, its address changes too, so browsers may
/// keep the files for ever. Browsers request `index.html`, which contains the name of the folder, at each visit. The files stay available at their own
/// paths too.
public struct PageFolder: Sendable {
    public struct File: Sendable {
        /// The path below the page, such as `0f3a…/js/main.js`.
        public let path: String
        public let bytes: [UInt8]
        /// Whether the content under this path never changes.
        public let isImmutable: Bool
    }

    /// The name of the folder: 16 hexadecimal digits.
    public let name: String
    public let files: [File]

    /// The path of the file that lists the page's files for a service worker: `{"folder": …, "files": […]}`, with paths relative to the page.
    static let list = "files.json"

    /// Makes the files.
    /// - Parameter files: The page's files by their paths. `index.html` loads files by addresses in double quotes.
    public init(_ files: [(path: String, bytes: [UInt8])]) {
        let kept = files.filter { !Self.stays($0.path) }
        name = Self.hash(kept)
        let prefix = name + "/"
        let shell = ["./"] + kept.map { prefix + $0.path }
        let list = "{\"folder\":\"\(name)\",\"files\":[\(shell.map { "\"\($0)\"" }.joined(separator: ","))]}\n"
        let plain = files.map { path, bytes in
            var bytes = bytes
            if path == "index.html" {
                for (path, _) in kept { bytes.replace(Array("=\"\(path)\"".utf8), with: Array("=\"\(prefix)\(path)\"".utf8)) }
            }
            return File(path: path, bytes: bytes, isImmutable: false)
        }
        self.files =
            plain + [File(path: Self.list, bytes: Array(list.utf8), isImmutable: false)]
            + kept.map { File(path: prefix + $0.path, bytes: $0.bytes, isImmutable: true) }
    }

    /// Whether a file is served only at its own path, because its content may change there: the page itself, a service worker (its path decides for
    /// which pages it works), and the manifest.
    private static func stays(_ path: String) -> Bool { path == "index.html" || path == "sw.js" || path.hasSuffix(".webmanifest") }

    /// Returns the FNV-1a hash of 64 bits of all paths and bytes, in 16 hexadecimal digits.
    private static func hash(_ files: [(path: String, bytes: [UInt8])]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for (path, bytes) in files {
            for part in [Array(path.utf8), [0], bytes, [0]] {
                for byte in part { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            }
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The files of the web remote, and the contract of the API. The web remote and the contract are embedded in the binary, so that the program is a
/// single file.
public enum RemoteAssets {
    /// The files of the page, by their path in the folder `web/` (such as `js/main.js`), in alphabetical order of the paths. The scripts and style
    /// sheets that `index.html` loads are bundles (script/embed), which contain all others.
    public static let files: [(path: String, bytes: [UInt8])] = {
        var count = 0
        let page = CRemoteAssets_page(&count)
        return UnsafeBufferPointer(start: page, count: count).map { (String(cString: $0.path), bytes($0)) }
    }()

    /// Makes the files that a server serves for the page, in a few milliseconds.
    public static func page() -> [PageFolder.File] { PageFolder(files).files }

    /// The bytes of `openapi.yaml`, the contract of the API.
    public static let openAPI: [UInt8] = bytes(CRemoteAssets_openAPI())

    /// The contract of the API in JSON, which `script/embed` has made from `openapi.yaml`.
    public static let openAPIJSON: [UInt8] = bytes(CRemoteAssets_openAPIJSON())

    private static func bytes(_ asset: CRemoteAsset) -> [UInt8] {
        Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
    }
}
