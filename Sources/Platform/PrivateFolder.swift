import Glibc

/// Folders to which only their owner has access.
package enum PrivateFolder {
    /// The failure to create a folder.
    package struct Failure: Error, Sendable, Hashable {
        package let path: String
        package let error: SystemError
    }

    /// Creates the missing folders of a path, with access for their owner alone (mode 0700). The path may be relative. Blocks.
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
