import Foundation
import Glibc
import Platform
import Player
import Synchronization
import Testing

@testable import tonearm

@Suite("Files that may be away") struct FilePresenceTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "tonearm-presence-\(UUID().uuidString)").path
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let directory: Folder
    init() throws { directory = try Folder() }

    private func path(_ name: String) -> FilePath { FilePath(directory.path + "/" + name) }
    private func make(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: directory.path + "/" + name, withIntermediateDirectories: true)
    }
    private func write(_ name: String) throws { try Data([1]).write(to: URL(filePath: directory.path + "/" + name)) }
    private func presence(_ name: String, root: String = "", mounts: MountTable = MountTable()) -> Presence {
        FilePresence.presence(of: path(name), roots: [root.isEmpty ? FilePath(directory.path) : path(root)], mounts: mounts)
    }
    /// Writes a table of mounts, with a mount point of the given type.
    private func table(_ name: String, _ folder: String, type: String) throws -> String {
        let file = directory.path + "/" + name
        try Data("# a comment\ndevice \(directory.path)/\(folder) \(type) ro,noauto 0 0\n".utf8).write(to: URL(filePath: file))
        return file
    }

    @Test("a file of an empty root, or of a root that does not exist, is away")
    func away() throws {
        try make("mount")
        try write("other")
        #expect(presence("mount/a.flac", root: "mount") == .away(nearest: path("mount")))
        #expect(presence("mount/album/a.flac", root: "mount") == .away(nearest: path("mount")))
        #expect(presence("share/music/album/a.flac", root: "share/music") == .away(nearest: FilePath(directory.path)))
        #expect(presence("share/music/a.flac", root: "share/music") == .away(nearest: FilePath(directory.path)))
    }

    @Test("a file of an empty folder is away if fstab or the automounter mounts something there, and missing otherwise")
    func emptied() throws {
        try make("my disk")
        try make("show")
        #expect(presence("show/a.mp3") == .missing && presence("my disk/album/a.flac") == .missing)
        var mounts = MountTable(planned: try table("fstab", "my\\040disk/", type: "ext4"), present: try table("mounts", "show", type: "autofs"))
        #expect(presence("my disk/album/a.flac", mounts: mounts) == .away(nearest: path("my disk")))
        #expect(presence("show/a.mp3", mounts: mounts) == .away(nearest: path("show")))
        mounts.present = try table("mounts", "show", type: "ext4")
        #expect(presence("show/a.mp3", mounts: mounts) == .missing)
        try write("my disk/b.flac")
        #expect(presence("my disk/album/a.flac", mounts: mounts) == .missing)
    }

    @Test(
        "the folders in which the system or the user mounts disks are places of mounts, and folders on these disks are none",
        arguments: [
            ("/media", true), ("/media/user", true), ("/mnt", true), ("/mnt/usb", true), ("/run/media/user", true), ("/mnt/usb/album", false),
            ("/mntx", false), ("/srv/show", false), ("/", false),
        ] as [(FilePath, Bool)])
    func diskFolders(folder: FilePath, expected: Bool) { #expect(MountTable(planned: "", present: "").mayMount(at: folder) == expected) }

    @Test("a file that others of its root have outlasted is missing, and one that is there is present")
    func missing() throws {
        try make("music/album")
        try write("music/album/b.flac")
        #expect(presence("music/album/a.flac") == .missing)
        #expect(presence("music/removed/a.flac") == .missing)
        #expect(presence("music/album/b.flac/a.flac") == .missing)
        #expect(presence("music/album") == .missing)
        #expect(presence("music/album/b.flac") == .present)
        #expect(presence("music/album/b.flac", root: "music") == .present)
    }

    @Test("a file is away while the disk or share at which one was opened is not mounted, whatever is in the folder")
    func unmounted() async throws {
        try make("share")
        try write("share/other")
        let mounted = try table("mounts", "share", type: "fuse.sshfs")
        let files = FilePresence(roots: [FilePath(directory.path)], mounts: MountTable(planned: "", present: mounted))
        let file = path("share/a.flac")
        func look() async -> Presence {
            await withCheckedContinuation { continuation in files.look(for: file) { continuation.resume(returning: $0) } }
        }
        files.didOpen(path("share/album/b.flac"))
        #expect(await look() == .missing)
        _ = try table("mounts", "elsewhere", type: "ext4")
        #expect(await look() == .away(nearest: path("share")))
        _ = try table("mounts", "share", type: "fuse.sshfs")
        #expect(await look() == .missing)
    }

    @Test("a look at a share whose server does not respond delays none at another disk")
    func hanging() async throws {
        let answer = WakeSignal()
        let mounted = try table("mounts", "share", type: "nfs4")
        let share = path("share")
        let files = FilePresence(roots: [], mounts: MountTable(present: mounted)) { path in
            if path.isInside(share) { answer.wait() }
            return .missing
        }
        let ended = Mutex(false)
        files.look(for: path("share/a.flac")) { _ in ended.withLock { $0 = true } }
        let other = path("shared/b.flac")
        let found = await withCheckedContinuation { continuation in files.look(for: other) { continuation.resume(returning: $0) } }
        #expect(found == .missing && !ended.withLock { $0 })
        answer.raise()
    }

    @Test("a wait ends when a folder appears")
    func change() throws {
        try make("mount")
        var isMade = false
        FilePresence.waitForChange(in: path("mount"), atMost: -1) { isMade = mkdir(directory.path + "/mount/album", 0o755) == 0 }
        #expect(isMade)
    }

    @Test("a wait ends after its interval, and a look then finds the file")
    func interval() async throws {
        try make("mount")
        let files = FilePresence(roots: [FilePath(directory.path)], interval: 0)
        let folder = path("mount")
        await withCheckedContinuation { continuation in files.wait(forChangeIn: folder) { continuation.resume() } }
        try write("mount/a.flac")
        let file = path("mount/a.flac")
        let found = await withCheckedContinuation { continuation in files.look(for: file) { continuation.resume(returning: $0) } }
        #expect(found == .present)
    }
}
