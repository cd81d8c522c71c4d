import Glibc

/// A path as the bytes that the system stores, without an encoding: Latin-1, Shift-JIS or anything without `/` and NUL, compared by bytes. A literal
/// in source code is UTF-8.
public struct FilePath: Sendable, Hashable, ExpressibleByStringInterpolation {
    public let bytes: [UInt8]

    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    public init(_ text: String) { bytes = Array(text.utf8) }
    public init(stringLiteral text: String) { self.init(text) }

    /// `text` is a percent-encoded `file:` URL or a path; a malformed URL counts as a path. The inverse of `reference`.
    public init(reference text: String) {
        let scheme = "file://"
        if text.utf8.starts(with: (scheme + "/").utf8), let decoded = PercentEncoding.decodedBytes(text.dropFirst(scheme.count)) {
            bytes = decoded
        } else {
            bytes = Array(text.utf8)
        }
    }

    /// The path for display; U+FFFD replaces bytes that are not UTF-8, so it may name another file.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// Nil if the bytes are not UTF-8.
    public var exactText: String? { String(validating: bytes, as: UTF8.self) }
    /// The URL by RFC 8089.
    public var url: String { "file://" + PercentEncoding.encodedPath(bytes) }
    /// Names an absolute path without loss: the path if it is UTF-8, otherwise its URL.
    public var reference: String { exactText ?? url }

    /// The path must not contain a NUL. The pointer is valid during the call.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        var terminated: [CChar] = []
        terminated.reserveCapacity(bytes.count + 1)
        for byte in bytes { terminated.append(CChar(bitPattern: byte)) }
        terminated.append(0)
        return body(terminated)
    }
}

package enum OpenFile {
    /// The path of an open file, with every symbolic link resolved.
    package static func path(of descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, bytes.count) } ?? -1
        }
        return count > 0 && count < buffer.count ? Array(buffer[..<count]) : nil
    }

    /// The content of a regular file, from its present offset. Nil if its size in bytes is not in `sizes`, or it cannot be read. Blocks.
    package static func content(of descriptor: Int32, sizes: ClosedRange<Int>) -> [UInt8]? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, sizes.contains(Int(status.st_size)) else { return nil }
        let size = Int(status.st_size)
        var filled = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while filled < size {
                let part = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let read = Glibc.read(descriptor, part.baseAddress, part.count)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                filled += read
            }
            count = filled
        }
        return filled == size ? bytes : nil
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

    /// Why another user may have written a file, or a folder, whose path ends with a slash; nil if only the user of the process, or root, can have.
    /// Nil for a missing file too, and for a link in place of a file, which is refused where the file is used.
    package static func distrust(of path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT ? nil : String(cString: strerror(errno)) }
        if status.st_mode & S_IFMT == S_IFLNK { return nil }
        if status.st_uid != geteuid(), status.st_uid != 0 { return "it belongs to another user; run chown on it, or run this program as that user" }
        return status.st_mode & 0o022 == 0 ? nil : "other users can write it; run chmod go-w on it"
    }
}
