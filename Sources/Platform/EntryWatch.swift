import CLinux
import Glibc
import Synchronization

/// Waits until an entry of a folder appears, changes or disappears, by inotify: while nothing changes, nothing wakes the thread. If the folder is
/// missing, its nearest existing parent is watched. One thread calls `arm` and `wait`; any thread may call `stop`.
package final class EntryWatch: Sendable {
    package enum Sign: Sendable, Hashable { case changed, late, stopped }

    private struct Watched {
        /// The number of inotify's watch; negative if the system has refused it.
        var number: Int32 = -1
        /// The entry whose changes matter; nil for every entry of the folder.
        var entry: String?
    }

    private static let changes = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)
    /// The bytes of an event before the name: watch, mask, cookie, and length of the name.
    private static let headBytes = 16

    private let folder: String?
    private let name: String?
    private let notifier: Int32
    private let stopper: Int32
    private let watched = Mutex(Watched())

    /// - Parameters:
    ///   - folder: An absolute path; nil if there is nothing to watch, so that only deadlines and `stop` end the wait.
    ///   - name: The entry; nil for every entry of the folder.
    package init(folder: String?, name: String? = nil) {
        self.folder = folder
        self.name = name
        notifier = folder == nil ? -1 : inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        stopper = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        for descriptor in [notifier, stopper] where descriptor >= 0 { close(descriptor) }
    }

    /// Whether changes cannot be noticed, because there is no folder, or the system refuses to watch it.
    package var isBlind: Bool { watched.withLock { $0.number < 0 } }

    /// Notes changes from now on. Called before each examination of the entry, so that no later change is missed.
    package func arm() {
        guard let folder, notifier >= 0 else { return }
        while true {
            let (nearest, entry) = Self.nearest(to: folder, name)
            let number = inotify_add_watch(notifier, nearest, Self.changes)
            let former = watched.withLock { watched in
                defer { watched = Watched(number: number, entry: entry) }
                return watched.number
            }
            if former >= 0, former != number { inotify_rm_watch(notifier, former) }
            // A folder that was made meanwhile is nearer.
            if Self.nearest(to: folder, name).folder == nearest { return }
        }
    }

    /// Waits for a change since `arm`, for at most `seconds`; without a limit if it is nil.
    package func wait(atMost seconds: Double?) -> Sign {
        let clock = MonotonicClock()
        let deadline = seconds.map { clock.now + $0 }
        while true {
            var ends = [pollfd(fd: stopper, events: Int16(POLLIN), revents: 0), pollfd(fd: notifier, events: Int16(POLLIN), revents: 0)]
            let left = deadline.map { Int32((max(0, min($0 - clock.now, 1e6)) * 1000).rounded(.up)) } ?? -1
            let count = poll(&ends, nfds_t(ends.count), left)
            if ends[0].revents != 0 { return .stopped }
            if count == 0 { return .late }
            if count > 0, ends[1].revents != 0, takeChanges() { return .changed }
        }
    }

    /// Ends the present wait, and each later one.
    package func stop() {
        var one: UInt64 = 1
        _ = write(stopper, &one, MemoryLayout.size(ofValue: one))
    }

    /// Reads all events; returns whether one of them concerns the entry.
    private func takeChanges() -> Bool {
        let watched = watched.withLock { $0 }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var isConcerned = false
        while true {
            let count = read(notifier, &buffer, buffer.count)
            guard count > 0 else { return isConcerned }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + Self.headBytes <= count {
                    let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                    let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                    let start = offset + Self.headBytes
                    let entry = bytes[min(start, count)..<min(start + length, count)].prefix { $0 != 0 }
                    // Without a name, the event is of the folder itself; a negative number says that events were lost.
                    let isOurs = number == watched.number && (entry.isEmpty || watched.entry.map { entry.elementsEqual($0.utf8) } ?? true)
                    if isOurs || number < 0 { isConcerned = true }
                    offset = start + length
                }
            }
        }
    }

    /// The deepest existing folder of a path, and its entry that matters.
    private static func nearest(to folder: String, _ name: String?) -> (folder: String, entry: String?) {
        var path = folder[...], entry = name
        while true {
            var status = stat()
            let text = path.isEmpty ? "/" : String(path)
            if stat(text, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return (text, entry) }
            guard let slash = path.lastIndex(of: "/") else { return ("/", entry) }
            entry = String(path[path.index(after: slash)...])
            path = path[..<slash]
        }
    }
}
