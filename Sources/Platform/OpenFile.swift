import Glibc

/// Facts about open files.
package enum OpenFile {
    /// The flag `O_PATH` of Linux: the file is only named by its descriptor, and not opened for reading. `Glibc` does not import it.
    package static let pathOnly: Int32 = 0o10_000_000

    /// Returns the real path of an open file, with every symbolic link resolved; nil if the system does not report the path.
    package static func path(of descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, bytes.count) } ?? -1
        }
        return count > 0 && count < buffer.count ? Array(buffer[..<count]) : nil
    }
}
