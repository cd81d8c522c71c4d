/// An absolute path without `.`, `..` or empty segments, normalised without looking at the file system (RFC 3986, section 5.2.4).
///
/// Compared byte by byte, as the file system does: Swift's `String` holds composed and decomposed letters to be equal, which are two directories.
struct AbsolutePath: Sendable, Hashable {
    /// Why a text is not a path that can be used.
    enum Fault: Error {
        case notAbsolute
        case tooLong
        case nameTooLong

        /// A sentence for a person.
        var sentence: String {
            switch self {
            case .notAbsolute: "This is not an absolute path."
            case .tooLong: "A path may have at most \(AbsolutePath.maximumLength) bytes."
            case .nameTooLong: "A name in a path may have at most \(AbsolutePath.maximumNameLength) bytes."
            }
        }
    }

    /// Bytes of the longest path that the system takes (`PATH_MAX`, without the zero at its end), and of the longest name in one (`NAME_MAX`).
    static let maximumLength = 4095
    static let maximumNameLength = 255

    /// Each segment with a slash before it; empty for the root.
    private var bytes: [UInt8] = []
    /// Where each segment ends in `bytes`.
    private var ends: [Int] = []

    /// Refuses a text that does not begin with `/`, contains a NUL, or is longer than the system takes, before it is normalised.
    init(_ text: String) throws(Fault) {
        let utf8 = text.utf8
        guard utf8.first == UInt8(ascii: "/"), !utf8.contains(0) else { throw .notAbsolute }
        guard utf8.count <= Self.maximumLength else { throw .tooLong }
        for segment in Array(utf8).split(separator: UInt8(ascii: "/")) {
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

    /// The root stays the root.
    private mutating func removeLast() {
        guard ends.popLast() != nil else { return }
        bytes.removeLast(bytes.count - (ends.last ?? 0))
    }

    var text: String { bytes.isEmpty ? "/" : String(decoding: bytes, as: UTF8.self) }
    /// The last segment; `/` for the root.
    var name: String { ends.isEmpty ? "/" : String(decoding: bytes[(start(of: depth - 1) + 1)...], as: UTF8.self) }
    /// How many segments it has: none for the root.
    var depth: Int { ends.count }
    /// The directory that it is in; nil for the root.
    var parent: AbsolutePath? { depth == 0 ? nil : prefix(depth - 1) }
    /// The `file:` URL.
    var url: String { "file://" + PercentEncoding.encodedPath(text) }

    /// Its first segments; all of it if it has not so many.
    func prefix(_ count: Int) -> AbsolutePath {
        var shorter = self
        let count = min(max(0, count), depth)
        shorter.bytes.removeLast(bytes.count - start(of: count))
        shorter.ends.removeLast(depth - count)
        return shorter
    }

    /// Whether it is `other` or lies below it.
    func isInside(_ other: AbsolutePath) -> Bool {
        guard bytes.starts(with: other.bytes) else { return false }
        return bytes.count == other.bytes.count || bytes[other.bytes.count] == UInt8(ascii: "/")
    }

    func appending(_ name: String) -> AbsolutePath {
        var longer = self
        longer.append(name.utf8)
        return longer
    }

    /// The same with those segments of `other` behind it that come after its first `count`.
    func appending(_ other: AbsolutePath, after count: Int) -> AbsolutePath {
        var longer = self
        for number in count..<max(count, other.depth) { longer.append(other.bytes[(other.start(of: number) + 1)..<other.ends[number]]) }
        return longer
    }

    /// Where the slash of a segment lies.
    private func start(of number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }
}
