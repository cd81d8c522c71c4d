import Platform

/// A path in the file system: bytes, as the system has them, in any encoding or none. `String` can hold UTF-8 alone, so the path of a file with
/// another name would lead to no file.
public struct FilePath: Sendable, Hashable {
    /// The bytes of the path, without the NUL that ends them in C.
    public let bytes: [UInt8]

    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    public init(_ text: String) { self.init(bytes: text.utf8) }

    /// The path as text. A byte that is not part of UTF-8 is shown as U+FFFD, so the text may name no file.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The path as text; nil if it is not UTF-8.
    public var exactText: String? { String(validating: bytes, as: UTF8.self) }
    /// The `file:` URL of the path (RFC 8089), in ASCII.
    public var url: String { "file://" + PercentEncoding.encodedPath(bytes) }

    /// Calls a function of the system with the path. A NUL in the bytes would end the path early, so such a path is passed as an empty one, which
    /// names no file.
    public func withCString<Result, Failure: Error>(_ body: (UnsafePointer<CChar>) throws(Failure) -> Result) throws(Failure) -> Result {
        let terminated: [CChar] = bytes.contains(0) ? [0] : bytes.map(CChar.init(bitPattern:)) + [0]
        return try terminated.withUnsafeBufferPointer { buffer throws(Failure) in
            guard let start = buffer.baseAddress else { preconditionFailure("An array with a NUL has a first byte.") }
            return try body(start)
        }
    }
}
