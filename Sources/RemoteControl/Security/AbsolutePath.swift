import Platform

/// An absolute path without `.`, `..` or empty segments, normalised as text (RFC 3986, section 5.2.4).
///
/// Paths are compared byte by byte, as in the file system: as `String`, a composed and a decomposed letter would be equal.
struct AbsolutePath: Sendable, Hashable {
    enum Fault: Error {
        case notAbsolute
        case tooLong
        case nameTooLong

        /// The fault in a sentence for the user.
        var sentence: String {
            switch self {
            case .notAbsolute: "This is not an absolute path."
            case .tooLong: "A path may have at most \(AbsolutePath.maximumLength) bytes."
            case .nameTooLong: "A name in a path may have at most \(AbsolutePath.maximumNameLength) bytes."
            }
        }
    }

    /// The greatest length, in bytes (`PATH_MAX` without its terminating zero).
    static let maximumLength = 4095
    /// The greatest length of a name, in bytes (`NAME_MAX`).
    static let maximumNameLength = 255

    /// The bytes of the path, with a slash before each segment; empty for the root.
    private var bytes: [UInt8] = []
    /// The ends of the segments, as offsets in `bytes`.
    private var ends: [Int] = []

    /// Parses a path. Throws if the text does not begin with `/`, contains a NUL, or is too long for the system.
    init(_ text: String) throws(Fault) { try self.init(bytes: Array(text.utf8)) }

    /// Parses a path or a `file:` URL (`FilePath.reference`).
    init(reference text: String) throws(Fault) { try self.init(bytes: FilePath(reference: text).bytes) }

    /// Parses a path whose bytes need not be UTF-8.
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

    /// Removes the last segment, if there is one.
    private mutating func removeLast() {
        guard ends.popLast() != nil else { return }
        bytes.removeLast(bytes.count - (ends.last ?? 0))
    }

    var file: FilePath { FilePath(bytes: bytes.isEmpty ? [UInt8(ascii: "/")] : bytes) }
    /// The path for display; U+FFFD replaces bytes that are not UTF-8.
    var text: String { file.text }
    /// The path as in requests and answers (`FilePath.reference`).
    var reference: String { file.reference }
    /// The last segment; `/` for the root.
    var nameBytes: [UInt8] { ends.isEmpty ? [UInt8(ascii: "/")] : Array(bytes[(start(of: depth - 1) + 1)...]) }
    /// The last segment for display.
    var name: String { String(decoding: nameBytes, as: UTF8.self) }
    /// The size in bytes.
    var size: Int { max(1, bytes.count) }
    /// The number of segments; 0 for the root.
    var depth: Int { ends.count }
    var parent: AbsolutePath? { depth == 0 ? nil : prefix(depth - 1) }
    var url: String { file.url }

    /// Calls `body` with the path as a C string, which is valid during the call.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result { file.withCString(body) }

    /// The path of the first `count` segments, or of all.
    func prefix(_ count: Int) -> AbsolutePath {
        var shorter = self
        let count = min(max(0, count), depth)
        shorter.bytes.removeLast(bytes.count - start(of: count))
        shorter.ends.removeLast(depth - count)
        return shorter
    }

    /// Whether the path is `other` or below it.
    func isInside(_ other: AbsolutePath) -> Bool {
        guard bytes.starts(with: other.bytes) else { return false }
        return bytes.count == other.bytes.count || bytes[other.bytes.count] == UInt8(ascii: "/")
    }

    func appending(_ name: String) -> AbsolutePath { appending(name.utf8) }

    func appending(_ name: some Sequence<UInt8>) -> AbsolutePath {
        var longer = self
        longer.append(name)
        return longer
    }

    /// Appends the segments of `other` without its first `count` ones.
    func appending(_ other: AbsolutePath, after count: Int) -> AbsolutePath {
        var longer = self
        for number in count..<max(count, other.depth) { longer.append(other.bytes[(other.start(of: number) + 1)..<other.ends[number]]) }
        return longer
    }

    /// The offset of the slash before the segment, counted from 0.
    private func start(of number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }
}
