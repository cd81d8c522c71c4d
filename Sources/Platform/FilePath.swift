/// A path of the file system, as the bytes that the system stores. The system knows no encoding: a name may be Latin-1, Shift-JIS or any bytes without
/// `/` and NUL. Paths are compared by their bytes.
///
/// A path in source code is a literal, and its bytes are those of UTF-8.
public struct FilePath: Sendable, Hashable, ExpressibleByStringInterpolation {
    public let bytes: [UInt8]

    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    public init(_ text: String) { bytes = Array(text.utf8) }
    public init(stringLiteral text: String) { self.init(text) }

    /// Makes the path that a text names: a `file:` URL whose path is percent-encoded, or a path. A malformed URL counts as a path. The initializer is
    /// the inverse of `reference`.
    public init(reference text: String) {
        let scheme = "file://"
        if text.utf8.starts(with: (scheme + "/").utf8), let decoded = PercentEncoding.decodedBytes(text.dropFirst(scheme.count)) {
            bytes = decoded
        } else {
            bytes = Array(text.utf8)
        }
    }

    /// The path for display. Bytes that are not UTF-8 are replaced with U+FFFD, so that the text may name another file or none.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The path as text; nil if it is not UTF-8.
    public var exactText: String? { String(validating: bytes, as: UTF8.self) }
    /// The `file:` URL of the path, in which bytes are percent-encoded (RFC 8089).
    public var url: String { "file://" + PercentEncoding.encodedPath(bytes) }
    /// A text that names an absolute path without loss: the path if it is UTF-8, otherwise its URL.
    public var reference: String { exactText ?? url }

    /// Calls a function of the system with the path, which must contain no NUL. The pointer is valid during the call.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        var terminated: [CChar] = []
        terminated.reserveCapacity(bytes.count + 1)
        for byte in bytes { terminated.append(CChar(bitPattern: byte)) }
        terminated.append(0)
        return body(terminated)
    }
}
