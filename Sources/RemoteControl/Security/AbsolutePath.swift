import Platform
import PlaybackEngine

/// An absolute path without `.`, `..` or empty segments. The path is normalised as text, without the file system (RFC 3986, section 5.2.4).
///
/// A path is bytes, like in the file system: its names need not be UTF-8. `String` also equates composed and decomposed letters, but names with
/// composed and decomposed letters are two directories.
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

    /// Makes the path of a text, and normalises the path. Throws a fault if the text does not begin with `/`, contains a NUL, or is longer than the
    /// system accepts.
    init(_ text: String) throws(Fault) { try self.init(bytes: Array(text.utf8)) }

    /// Makes the path of a path of the system.
    init(_ path: FilePath) throws(Fault) { try self.init(bytes: path.bytes) }

    /// Makes the path of bytes, as `init(_:)` does of a text.
    init(bytes text: [UInt8]) throws(Fault) {
        guard text.first == UInt8(ascii: "/"), !text.contains(0) else { throw .notAbsolute }
        guard text.count <= Self.maximumLength else { throw .tooLong }
        for segment in text.split(separator: UInt8(ascii: "/")) {
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
    /// The path as text for users. A byte that is not part of UTF-8 is shown as U+FFFD, so the text may name no file.
    var text: String { file.text }
    /// The text by which a client names the path in a request: the path, or its `file:` URL if the path is not UTF-8.
    var address: String { file.exactText ?? url }
    /// The last segment of the path as text for users; `/` for the root.
    var name: String { ends.isEmpty ? "/" : String(decoding: nameBytes, as: UTF8.self) }
    /// The last segment of the path; empty for the root.
    var nameBytes: ArraySlice<UInt8> { ends.isEmpty ? [] : bytes[(start(of: depth - 1) + 1)...] }
    /// The number of segments of the path; 0 for the root.
    var depth: Int { ends.count }
    /// The path of the parent directory; nil for the root.
    var parent: AbsolutePath? { depth == 0 ? nil : prefix(depth - 1) }
    /// The `file:` URL of the path.
    var url: String { file.url }

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

    /// Returns the path, followed by one name, which contains no slash.
    func appending(_ name: some Sequence<UInt8>) -> AbsolutePath {
        var longer = self
        longer.append(name)
        return longer
    }

    /// Returns the path, followed by the segments of `other` after its first `count` segments.
    func appending(_ other: AbsolutePath, after count: Int) -> AbsolutePath {
        var longer = self
        for number in count..<max(count, other.depth) { longer.append(other.bytes[(other.start(of: number) + 1)..<other.ends[number]]) }
        return longer
    }

    /// Calls a function of the system with the path.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result { file.withCString(body) }

    /// Returns the offset in `bytes` of the slash before the segment `number`, counted from 0.
    private func start(of number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }
}
