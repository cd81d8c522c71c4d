/// An absolute path without `.`, `..` or empty segments, normalised without looking at the file system (RFC 3986, section 5.2.4).
///
/// Compared byte by byte, as the file system does: Swift's `String` holds composed and decomposed letters to be equal, which are two directories.
struct AbsolutePath: Sendable, Hashable {
    private let segments: [[UInt8]]

    /// nil where `text` does not begin with `/`, or contains a NUL.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(0) else { return nil }
        var segments: [[UInt8]] = []
        for segment in bytes.split(separator: UInt8(ascii: "/")) {
            switch Array(segment) {
            case [UInt8(ascii: ".")]: continue
            case [UInt8(ascii: "."), UInt8(ascii: ".")]: if !segments.isEmpty { segments.removeLast() }
            case let name: segments.append(name)
            }
        }
        self.segments = segments
    }

    private init(segments: [[UInt8]]) { self.segments = segments }

    var text: String { "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/") }
    /// The last segment; `/` for the root.
    var name: String { segments.last.map { String(decoding: $0, as: UTF8.self) } ?? "/" }
    /// The directory that it is in; nil for the root.
    var parent: AbsolutePath? { segments.isEmpty ? nil : AbsolutePath(segments: Array(segments.dropLast())) }
    /// The `file:` URL.
    var url: String { "file://" + PercentEncoding.encodedPath(text) }

    /// Whether it is `other` or lies below it.
    func isInside(_ other: AbsolutePath) -> Bool { segments.starts(with: other.segments) }

    func appending(_ name: String) -> AbsolutePath { AbsolutePath(segments: segments + [Array(name.utf8)]) }
}
