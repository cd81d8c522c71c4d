import Platform

/// An absolute path without `.`, `..` or empty segments. The path is normalised as text, without the file system (RFC 3986, section 5.2.4).
///
/// Paths are compared byte by byte, like in the file system. As `String`, a composed and a decomposed letter would be equal, but in the file system
/// names with these letters are different.
struct AbsolutePath: Sendable, Hashable {
    /// The reason why a text cannot be used as a path.
    enum Fault: Error {
        case notAbsolute
        case tooLong
        case nameTooLong

        /// The reason why the text is no path, as a sentence for the user.
        var sentence: String {
            switch self {
            case .notAbsolute: "This is not an absolute path."
            case .tooLong: "A path may have at most \(AbsolutePath.maximumLength) bytes."
            case .nameTooLong: "A name in a path may have at most \(AbsolutePath.maximumNameLength) bytes."
            }
        }
    }

    /// The maximum length of a path that the system accepts, in bytes (`PATH_MAX` without its terminating zero).
    static let maximumLength = 4095
    /// The maximum length of a name in a path that the system accepts, in bytes (`NAME_MAX`).
    static let maximumNameLength = 255

    /// The bytes of all segments of the path, with a slash before each segment; empty for the root.
    private var bytes: [UInt8] = []
    /// The end of each segment of the path, as an offset in `bytes`.
    private var ends: [Int] = []

    /// Makes the path of a text in UTF-8, and normalises it. Throws a fault if the text does not begin with `/`, contains a NUL, or is longer than
    /// the system accepts.
    init(_ text: String) throws(Fault) { try self.init(bytes: Array(text.utf8)) }

    /// Makes the path of a text that is a path or a `file:` URL (`FilePath.reference`).
    init(reference text: String) throws(Fault) { try self.init(bytes: FilePath(reference: text).bytes) }

    /// Makes the path of bytes, which need not be UTF-8.
    init(bytes path: [UInt8]) throws(Fault) {
        guard path.first == UInt8(ascii: "/"), !path.contains(0) else { throw .notAbsolute }
        guard path.count <= Self.maximumLength else { throw .tooLong }
        for segment in path.split(separator: UInt8(ascii: "/")) {
            guard segment.count <= Self.maximumNameLength else { throw .nameTooLong }
            if segment.elementsEqual(".".utf8) { continue }
            if segment.elementsEqual("..".utf8) { removeLast() } else { append(segment) }
        }
    }

    private mutating func append(_ segment: some Sequence<UInt8>) {
        bytes.append(UInt8(ascii: "/"))
        bytes.append(contentsOf: segment)
        ends.append(bytes.count)
    }

    /// Removes the last segment of the path. Does nothing if the path is the root.
    private mutating func removeLast() {
        guard ends.popLast() != nil else { return }
        bytes.removeLast(bytes.count - (ends.last ?? 0))
    }

    /// The path as the system takes it.
    var file: FilePath { FilePath(bytes: bytes.isEmpty ? [UInt8(ascii: "/")] : bytes) }
    /// The path for display. U+FFFD replaces bytes that are not UTF-8.
    var text: String { file.text }
    /// The text that names the path in requests and answers (`FilePath.reference`).
    var reference: String { file.reference }
    /// The last segment of the path; `/` for the root.
    var nameBytes: [UInt8] { ends.isEmpty ? [UInt8(ascii: "/")] : Array(bytes[(start(of: depth - 1) + 1)...]) }
    /// The last segment of the path for display.
    var name: String { String(decoding: nameBytes, as: UTF8.self) }
    /// The length of the path, in bytes.
    var size: Int { max(1, bytes.count) }
    /// The number of segments of the path; 0 for the root.
    var depth: Int { ends.count }
    /// The path of the parent directory; nil for the root.
    var parent: AbsolutePath? { depth == 0 ? nil : prefix(depth - 1) }
    /// The `file:` URL of the path.
    var url: String { file.url }

    /// Calls a function of the system with the path. The pointer is valid during the call.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result { file.withCString(body) }

    /// Returns the path that consists of the first `count` segments, or the whole path if it has fewer segments.
    func prefix(_ count: Int) -> AbsolutePath {
        var shorter = self
        let count = min(max(0, count), depth)
        shorter.bytes.removeLast(bytes.count - start(of: count))
        shorter.ends.removeLast(depth - count)
        return shorter
    }

    /// Whether the path is `other`, or is below `other`.
    func isInside(_ other: AbsolutePath) -> Bool {
        guard bytes.starts(with: other.bytes) else { return false }
        return bytes.count == other.bytes.count || bytes[other.bytes.count] == UInt8(ascii: "/")
    }

    func appending(_ name: String) -> AbsolutePath { appending(name.utf8) }

    /// Returns the path of the file with this name in the directory.
    func appending(_ name: some Sequence<UInt8>) -> AbsolutePath {
        var longer = self
        longer.append(name)
        return longer
    }

    /// Returns the path, followed by the segments of `other` without its first `count` ones.
    func appending(_ other: AbsolutePath, after count: Int) -> AbsolutePath {
        var longer = self
        for number in count..<max(count, other.depth) { longer.append(other.bytes[(other.start(of: number) + 1)..<other.ends[number]]) }
        return longer
    }

    /// Returns the offset in `bytes` of the slash before the segment `number`, counted from 0.
    private func start(of number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }
}
