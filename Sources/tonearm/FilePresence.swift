import Glibc
import Platform
import Player
import Synchronization

/// Looks for files of disks and shares that may be away. A share whose server does not respond may block a look for minutes, so the looks of each
/// disk and share have a queue, and each wait has a thread.
final class FilePresence: MediaPresence {
    /// The longest wait for a change, in milliseconds: a folder of another machine reports none.
    private static let standardInterval: Int32 = 10_000
    /// The pause after a change, in milliseconds, in which a mount is completed and further changes become one.
    private static let settlingTime: Int32 = 200

    private let interval: Int32
    private let mounts: MountTable
    private let find: @Sendable (FilePath) -> Presence
    /// Reads the table of mounts, which never blocks.
    private let sorting = BackgroundQueue("presence")
    /// The mount points of the files that were opened.
    private let known = Mutex<Set<FilePath>>([])
    /// The looks by the mount point of what they look at.
    private let looks = Mutex<[FilePath: BackgroundQueue]>([:])
    /// The waits for which the system refuses a thread.
    private let waits = BackgroundQueue("mounts")

    /// - Parameters:
    ///   - roots: The media roots with their symlinks resolved.
    ///   - interval: The longest wait for a change, in milliseconds.
    ///   - find: Where a file is; may block. Nil for `presence`.
    init(
        roots: [FilePath], interval: Int32 = FilePresence.standardInterval, mounts: MountTable = MountTable(),
        find: (@Sendable (FilePath) -> Presence)? = nil
    ) {
        self.interval = interval
        self.mounts = mounts
        self.find = find ?? { FilePresence.presence(of: $0, roots: roots, mounts: mounts) }
    }

    func didOpen(_ path: FilePath) {
        sorting.async { [self] in
            let place = mounts.mountPoint(of: path)
            known.withLock { _ = $0.insert(place) }
        }
    }

    /// A missing file is also away while the disk or share of an earlier file at its place is not mounted, whatever is in the folder meanwhile.
    func look(for path: FilePath, _ completion: @escaping @Sendable (Presence) -> Void) {
        sorting.async { [self] in
            let place = mounts.mountPoint(of: path)
            let isUnmounted = known.withLock { $0.contains { path.isInside($0) && $0.bytes.count > place.bytes.count } }
            let queue = looks.withLock { looks in
                let queue = looks[place] ?? BackgroundQueue("presence")
                looks[place] = queue
                return queue
            }
            queue.async { [find] in
                let found = find(path)
                completion(isUnmounted && found == .missing ? .away(nearest: Self.nearestFolder(of: path)) : found)
            }
        }
    }

    func wait(forChangeIn folder: FilePath, _ completion: @escaping @Sendable () -> Void) {
        let wait: @Sendable () -> Void = { [interval] in
            Self.waitForChange(in: folder, atMost: interval)
            completion()
        }
        do throws(SystemError) { _ = try WorkerThread(starting: "mounts", body: wait) } catch { waits.async(wait) }
    }

    // MARK: Looking

    /// A missing file is away if the nearest folder that exists is above the media root, or is empty and the place of a mount. Any other empty folder
    /// has lost its files for good. Blocks.
    static func presence(of path: FilePath, roots: [FilePath], mounts: MountTable = MountTable()) -> Presence {
        var status = stat()
        if path.withCString({ stat($0, &status) }) == 0 { return status.st_mode & S_IFMT == S_IFREG ? .present : .missing }
        let code = errno
        if code == EACCES { return .missing }
        let folder = nearestFolder(of: path)
        guard [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(code) else { return .away(nearest: folder) }
        let isAboveRoot = roots.contains { path.isInside($0) && folder != $0 && $0.isInside(folder) }
        let isUnmounted = isEmpty(folder) && (roots.contains(folder) || mounts.mayMount(at: folder))
        return isAboveRoot || isUnmounted ? .away(nearest: folder) : .missing
    }

    private static func nearestFolder(of path: FilePath) -> FilePath {
        var bytes = path.bytes[...]
        while let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash > 0 {
            bytes = bytes[..<slash]
            let folder = FilePath(bytes: bytes)
            var status = stat()
            if folder.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR { return folder }
        }
        return "/"
    }

    /// False for a folder that cannot be read.
    private static func isEmpty(_ folder: FilePath) -> Bool {
        guard let directory = folder.withCString({ opendir($0) }) else { return false }
        defer { closedir(directory) }
        var count = 0
        // Each folder has the names . and ..
        while count < 3, readdir(directory) != nil { count += 1 }
        return count < 3
    }

    // MARK: Waiting

    /// Blocks until a name appears in the folder, the folder goes, or something is mounted.
    /// - Parameters:
    ///   - interval: The longest wait in milliseconds; without end if negative.
    ///   - didBegin: Called when no change is missed any more.
    static func waitForChange(in folder: FilePath, atMost interval: Int32, didBegin: () -> Void = {}) {
        let watch = inotify_init1(Int32(IN_CLOEXEC))
        let mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [watch, mounts] where descriptor >= 0 { close(descriptor) } }
        let changes = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        if watch >= 0 { _ = folder.withCString { inotify_add_watch(watch, $0, changes) } }
        // poll ignores a descriptor below 0.
        var wanted = [
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0), pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
        ]
        didBegin()
        if poll(&wanted, nfds_t(wanted.count), interval) > 0 { poll(nil, 0, Self.settlingTime) }
    }
}
