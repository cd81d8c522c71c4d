/// A path as the bytes that the system stores, without an encoding: Latin-1, Shift-JIS or anything without `/` and NUL, compared by bytes. A literal
/// in source code is UTF-8.
public struct FilePath: Sendable, Hashable, ExpressibleByStringInterpolation {
    public let bytes: [UInt8]

    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    public init(_ text: String) { bytes = Array(text.utf8) }
    public init(stringLiteral text: String) { self.init(text) }

    /// A `file:` URL, percent-encoded, or a path, which a malformed URL counts as. The inverse of `reference`.
    public init(reference text: String) {
        let scheme = "file://"
        if text.utf8.starts(with: (scheme + "/").utf8), let decoded = PercentEncoding.decodedBytes(text.dropFirst(scheme.count)) {
            bytes = decoded
        } else {
            bytes = Array(text.utf8)
        }
    }

    /// For display; U+FFFD replaces bytes that are not UTF-8, so it may name another file.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// Nil if not UTF-8.
    public var exactText: String? { String(validating: bytes, as: UTF8.self) }
    /// RFC 8089.
    public var url: String { "file://" + PercentEncoding.encodedPath(bytes) }
    /// Names an absolute path without loss: the path if it is UTF-8, otherwise its URL.
    public var reference: String { exactText ?? url }

    /// Without NUL. The pointer is valid during the call.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        var terminated: [CChar] = []
        terminated.reserveCapacity(bytes.count + 1)
        for byte in bytes { terminated.append(CChar(bitPattern: byte)) }
        terminated.append(0)
        return body(terminated)
    }
}
