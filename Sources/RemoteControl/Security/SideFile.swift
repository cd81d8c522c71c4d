import Glibc
import Platform

/// Reads small files beside a medium, by the rule for media (`PathConfinement`). All functions block.
struct SideFile: Sendable {
    let confinement: PathConfinement

    /// Nil if it does not exist, may not be read, is empty or has more than `limit` bytes. Links inside the media roots are followed: the path is
    /// resolved first, and then opened without following a link.
    /// - Parameter medium: With its links resolved.
    func content(_ name: [UInt8], beside medium: AbsolutePath, limit: Int) -> [UInt8]? {
        guard name.count <= AbsolutePath.maximumNameLength, let folder = medium.parent,
            let real = try? confinement.resolve(folder.appending(name)), PathConfinement.kind(of: real) == .file
        else { return nil }
        return Self.content(of: real, limit: limit)
    }

    /// A regular file of 1 to `limit` bytes, without a link in its path.
    private static func content(of path: AbsolutePath, limit: Int) -> [UInt8]? {
        // Opening a FIFO that has replaced the file would block.
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard OpenFile.path(of: descriptor) == path.file.bytes else { return nil }
        return OpenFile.content(of: descriptor, sizes: 1...limit)
    }
}
