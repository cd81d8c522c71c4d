import Glibc
import Platform

/// Reads small files that lie beside a medium, such as a picture of its folder. They must obey the same rule as media (`PathConfinement`).
///
/// All functions block.
struct SideFile: Sendable {
    let confinement: PathConfinement

    /// Returns the content of the file `name` in the folder of `medium`. Nil if it does not exist, may not be read, is empty or has more than `limit`
    /// bytes.
    ///
    /// Links inside the media roots are followed, as for media: the path is resolved first, and then opened without following a link.
    /// - Parameter medium: The path of the medium, with its links resolved.
    func content(_ name: [UInt8], beside medium: AbsolutePath, limit: Int) -> [UInt8]? {
        guard name.count <= AbsolutePath.maximumNameLength, let folder = medium.parent,
            let real = try? confinement.resolve(folder.appending(name)), PathConfinement.kind(of: real) == .file
        else { return nil }
        return Self.content(of: real, limit: limit)
    }

    /// Returns the content of a regular file of 1 to `limit` bytes. Nil for a file of another kind or size, and if the path contains a link.
    private static func content(of path: AbsolutePath, limit: Int) -> [UInt8]? {
        // The file is opened in non-blocking mode, because a FIFO may have replaced it, and opening a FIFO would block.
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard OpenFile.path(of: descriptor) == path.file.bytes else { return nil }
        return OpenFile.content(of: descriptor, sizes: 1...limit)
    }
}
