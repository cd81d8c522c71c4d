import Glibc

package enum OpenFile {
    /// With every symbolic link resolved.
    package static func path(of descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, bytes.count) } ?? -1
        }
        return count > 0 && count < buffer.count ? Array(buffer[..<count]) : nil
    }

    /// Of a regular file, from its present offset. Nil if its size in bytes is not in `sizes`, or it cannot be read. Blocks.
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
