import Glibc

/// Facts about open files.
package enum OpenFile {
    /// Returns the real path of an open file, with every symbolic link resolved; nil if the system does not report the path.
    package static func path(of descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, bytes.count) } ?? -1
        }
        return count > 0 && count < buffer.count ? Array(buffer[..<count]) : nil
    }
}
