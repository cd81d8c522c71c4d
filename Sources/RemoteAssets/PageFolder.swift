/// The files that the server serves for the page, made from the files of `web/`.
///
/// `ScriptBundle` makes one file of the scripts that `index.html` loads, and a few more files of the scripts that are loaded later. If `index.html`
/// loads a style sheet, `StyleBundle` replaces the imports in that style sheet by the imported style sheets. The combined files, and all files that
/// they load, are in a folder whose name is a hash of their content. If a content changes, its address changes too, so browsers may keep the files
/// for ever. Browsers request `index.html`, which contains the name of the folder, at each visit. The files of `web/` stay available at their own
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
    /// - Parameter files: The files of `web/` by their paths.
    public init(_ files: [(path: String, bytes: [UInt8])]) throws(PageError) {
        let plain = Dictionary(uniqueKeysWithValues: files)
        guard let index = plain["index.html"] else { throw PageError(path: "index.html", reason: "the page is missing") }
        let links = PageLinks(index)
        var folder = plain.filter { !Self.stays($0.key) }
        var merged: Set<String> = []
        for path in links.paths where folder[path] != nil {
            if links.modules.contains(path) {
                let bundle = try ScriptBundle(of: path, in: plain)
                merged.formUnion(bundle.paths)
                for file in [(path: path, bytes: bundle.bytes)] + bundle.later {
                    folder[file.path] = file.bytes
                    merged.remove(file.path)
                }
            } else if path.hasSuffix(".css") {
                folder[path] = try StyleBundle.bytes(of: path, in: plain)
            }
        }
        for (path, bytes) in folder where path.hasSuffix(".json") { folder[path] = Self.withoutSpace(bytes) }
        // The other style sheets are already parts of those that the page loads, so they are omitted.
        merged.formUnion(folder.keys.filter { $0.hasSuffix(".css") && !links.paths.contains($0) })
        for path in merged where !links.paths.contains(path) { folder[path] = nil }
        let sorted = folder.sorted { $0.key < $1.key }
        name = Self.hash(sorted)
        let prefix = name + "/"
        let page = links.replaced { folder[$0] == nil ? nil : prefix + $0 }
        let shell = ["./"] + sorted.map { prefix + $0.key }
        let list = "{\"folder\":\"\(name)\",\"files\":[\(shell.map { "\"\($0)\"" }.joined(separator: ","))]}\n"
        self.files =
            files.map { File(path: $0.path, bytes: $0.path == "index.html" ? page : $0.bytes, isImmutable: false) }
            + [File(path: Self.list, bytes: Array(list.utf8), isImmutable: false)]
            + sorted.map { File(path: prefix + $0.key, bytes: $0.value, isImmutable: true) }
    }

    /// Whether a file is served only at its own path, because its content may change there: the page itself, a service worker (its path decides for
    /// which pages it works), and the manifest.
    private static func stays(_ path: String) -> Bool { path == "index.html" || path == "sw.js" || path.hasSuffix(".webmanifest") }

    /// Returns a JSON text without the white space outside of its strings.
    private static func withoutSpace(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var (isString, isEscaped) = (false, false)
        for byte in json {
            if !isString, byte == UInt8(ascii: " ") || (9...13).contains(byte) { continue }
            if byte == UInt8(ascii: "\""), !isEscaped { isString.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            result.append(byte)
        }
        return result
    }

    /// Returns the FNV-1a hash of 64 bits of all paths and bytes, in 16 hexadecimal digits.
    private static func hash(_ files: [(key: String, value: [UInt8])]) -> String {
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

/// The relative addresses in the attributes `href` and `src` of an HTML page, which are in double quotes.
struct PageLinks {
    private let html: [UInt8]
    private let ranges: [Range<Int>]
    /// The addresses of scripts that are modules.
    let modules: Set<String>

    init(_ html: [UInt8]) {
        self.html = html
        var ranges: [Range<Int>] = []
        for name in [" href=\"", " src=\""] {
            var rest = html[...]
            while let found = rest.firstRange(of: Array(name.utf8)), let end = html[found.upperBound...].firstIndex(of: UInt8(ascii: "\"")) {
                ranges.append(found.upperBound..<end)
                rest = html[end...]
            }
        }
        self.ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
        modules = Set(
            ranges.filter { range in
                let start = html[..<range.lowerBound].lastIndex(of: UInt8(ascii: "<")) ?? 0
                let end = html[range.upperBound...].firstIndex(of: UInt8(ascii: ">")) ?? html.endIndex
                return html[start..<end].firstRange(of: Array("type=\"module\"".utf8)) != nil
            }.map { String(decoding: html[$0], as: UTF8.self) })
    }

    /// The addresses in the order of the page.
    var paths: [String] { ranges.map { String(decoding: html[$0], as: UTF8.self) } }

    /// Returns the page with some of its addresses replaced.
    /// - Parameter address: The function that returns the new address for a path of the page; nil if the path stays.
    func replaced(_ address: (String) -> String?) -> [UInt8] {
        var result: [UInt8] = []
        var start = 0
        for range in ranges {
            result += html[start..<range.lowerBound]
            result += address(String(decoding: html[range], as: UTF8.self)).map { Array($0.utf8) } ?? Array(html[range])
            start = range.upperBound
        }
        return result + html[start...]
    }
}
