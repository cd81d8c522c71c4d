import CLinux
import Glibc

/// A path as the bytes that the system stores, without an encoding: Latin-1, Shift-JIS or anything without `/` and NUL, compared by bytes. A literal
/// in source code is UTF-8.
public struct FilePath: Sendable, Hashable, ExpressibleByStringInterpolation {
    public let bytes: [UInt8]

    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    public init(_ text: String) { bytes = Array(text.utf8) }
    public init(stringLiteral text: String) { self.init(text) }

    /// Makes the path that `reference` names: `text` is a percent-encoded `file:` URL or a path. A malformed URL counts as a path.
    public init(reference text: String) {
        let scheme = "file://"
        if text.utf8.starts(with: (scheme + "/").utf8), let decoded = PercentEncoding.decodedBytes(text.dropFirst(scheme.count)) {
            bytes = decoded
        } else {
            bytes = Array(text.utf8)
        }
    }

    /// The path for display; U+FFFD replaces bytes that are not UTF-8, so the text may name another file.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The path as text, without replacements; nil if the bytes are not UTF-8.
    public var exactText: String? { String(validating: bytes, as: UTF8.self) }
    /// The `file:` URL of the path, by RFC 8089.
    public var url: String { "file://" + PercentEncoding.encodedPath(bytes) }
    /// Names an absolute path without loss: the path if it is UTF-8 without control characters, which requests must percent-encode; otherwise its URL.
    public var reference: String { bytes.contains { $0 < 0x20 || $0 == 0x7F } ? url : exactText ?? url }

    /// Calls `body` with the path as a C string, which is valid only during the call. The path must not contain a NUL.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        var terminated: [CChar] = []
        terminated.reserveCapacity(bytes.count + 1)
        for byte in bytes { terminated.append(CChar(bitPattern: byte)) }
        terminated.append(0)
        return body(terminated)
    }
}

/// Folders that only their owner can use.
package enum PrivateFolder {
    package struct Failure: Error, Sendable, Hashable {
        package let path: String
        package let error: SystemError
    }

    /// Makes the missing folders of a path, with mode 0700. The path may be relative. Blocks.
    package static func make(_ path: String) throws(Failure) {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "" : "."
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
            folder += "/" + String(decoding: segment, as: UTF8.self)
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw Failure(path: folder, error: SystemError(operation: "mkdir", code: errno))
            }
        }
    }

    /// Why another user may have written a file or folder (the path of a folder ends with a slash); nil if only the process's user or root can have.
    /// Nil also for a missing file, and for a link in place of a file, because the code that opens the file refuses links.
    package static func distrust(of path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT ? nil : String(cString: strerror(errno)) }
        if status.st_mode & S_IFMT == S_IFLNK { return nil }
        if status.st_uid != geteuid(), status.st_uid != 0 { return "it belongs to another user; run chown on it, or run this program as that user" }
        return status.st_mode & 0o022 == 0 ? nil : "other users can write it; run chmod go-w on it"
    }
}
