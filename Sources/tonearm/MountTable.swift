import CLinux
import Glibc
import Platform

/// The places where disks and shares are mounted, or may be. Reading the tables asks no disk and no server.
struct MountTable: Sendable {
    /// The folders in which the folders of users' disks are, or which are such folders.
    private static let diskFolders: [FilePath] = ["/media", "/mnt", "/run/media"]
    /// Enough for a path and its options; the rest of a longer line is ignored.
    private static let maximumLineLength = 16_384

    /// The table of what the administrator has planned.
    var planned = "/etc/fstab"
    /// The table of what is mounted now.
    var present = "/proc/self/mounts"

    /// Whether a disk or share may be mounted at a folder, so that the empty folder may only be waiting for it.
    func mayMount(at folder: FilePath) -> Bool {
        let isForDisk = Self.diskFolders.contains {
            folder.isInside($0) && !folder.bytes.dropFirst($0.bytes.count + 1).contains(UInt8(ascii: "/"))
        }
        return isForDisk || Self.entries(of: planned).contains { $0.folder == folder }
            || Self.entries(of: present).contains { $0.folder == folder && $0.type == "autofs" }
    }

    /// The folder at which the disk or share of a path is mounted.
    func mountPoint(of path: FilePath) -> FilePath {
        Self.entries(of: present).map { $0.folder }.filter { path.isInside($0) }.max { $0.bytes.count < $1.bytes.count } ?? "/"
    }

    private static func entries(of table: String) -> [(folder: FilePath, type: String)] {
        guard let file = setmntent(table, "re") else { return [] }
        defer { endmntent(file) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: maximumLineLength) { line in
            var entries: [(folder: FilePath, type: String)] = []
            var entry = mntent()
            while getmntent_r(file, &entry, line.baseAddress, Int32(line.count)) != nil {
                guard let folder = entry.mnt_dir, let type = entry.mnt_type else { continue }
                var bytes = UnsafeBufferPointer(start: folder, count: strlen(folder)).map(UInt8.init(bitPattern:))
                while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
                entries.append((FilePath(bytes: bytes), String(cString: type)))
            }
            return entries
        }
    }
}

extension FilePath {
    /// Whether the path is a folder, or in it.
    func isInside(_ folder: FilePath) -> Bool {
        folder == "/" || self == folder || bytes.starts(with: folder.bytes + [UInt8(ascii: "/")])
    }
}
