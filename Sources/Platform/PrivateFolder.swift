import Glibc

/// Accessible for their owner alone.
package enum PrivateFolder {
    package struct Failure: Error, Sendable, Hashable {
        package let path: String
        package let error: SystemError
    }

    /// Those that are missing, with mode 0700. May be relative. Blocks.
    package static func make(_ path: String) throws(Failure) {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "" : "."
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
            folder += "/" + String(decoding: segment, as: UTF8.self)
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw Failure(path: folder, error: SystemError(operation: "mkdir", code: errno))
            }
        }
    }
}
