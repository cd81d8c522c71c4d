public import Platform
import PlaybackEngine

/// Looks for files that cannot be opened, and for the return of their folders.
public protocol MediaPresence: Sendable {
    /// States that a file was opened, so that it is known later whether its disk or share has gone. Does not block.
    func didOpen(_ path: FilePath)
    /// Looks for a file, and calls `completion` on any thread. Does not block.
    func look(for path: FilePath, _ completion: @escaping @Sendable (Presence) -> Void)
    /// Calls `completion` on any thread after the content of a folder, or what is mounted, has changed, or after some seconds without a change. Does
    /// not block.
    func wait(forChangeIn folder: FilePath, _ completion: @escaping @Sendable () -> Void)
}

/// Where a file is that could not be opened.
public enum Presence: Sendable, Hashable {
    /// It is there now.
    case present
    /// Its folder is there, and does not have it.
    case missing
    /// What it is on is not there: a disk, a share, or a media root. The folder is the nearest one that exists.
    case away(nearest: FilePath)
}

/// Decides what becomes of the opened entries whose files cannot be opened. A file that is away is waited for; one that is missing fails when the
/// turn of its entry has come.
struct AbsentEntries: Sendable {
    enum Effect: Hashable, Sendable {
        case look(String)
        case retry(String)
        case fail(String, PlaybackError)
        case wait(FilePath)
    }

    private struct Entry: Sendable {
        var error: PlaybackError
        /// The folder in which the file, or its folder, will appear; nil if the file is not known to be away.
        var folder: FilePath?
        /// Whether the look for the file takes long.
        var isLookSlow = false
        /// The position at which the file could not be opened or read, in seconds.
        var position: Double
        /// The number of times that the file was found after it could not be opened or read at this position.
        var retryCount = 0
    }
    /// Afterwards a file that is there and cannot be opened or read fails.
    static let maximumRetryCount = 2
    /// The distance in seconds from which on two failures are not at one place of the file, such as a bad sector, which no retry passes.
    private static let distance = 1.0

    private var entries: [String: Entry] = [:]
    /// The folders that are waited for.
    private var waited: Set<FilePath> = []

    func isAway(_ id: String) -> Bool { entries[id].map { $0.folder != nil || $0.isLookSlow } ?? false }

    /// - Parameter position: The position at which the entry waits, in seconds.
    mutating func failed(_ id: String, with error: PlaybackError, at position: Double) -> [Effect] {
        var entry = entries[id] ?? Entry(error: error, position: position)
        if abs(position - entry.position) >= Self.distance { (entry.position, entry.retryCount) = (position, 0) }
        entry.error = error
        entries[id] = entry
        return [.look(id)]
    }

    /// - Parameter isCurrent: Whether the turn of the entry has come.
    mutating func found(_ presence: Presence, of id: String, isCurrent: Bool) -> [Effect] {
        guard var entry = entries[id] else { return [] }
        (entry.folder, entry.isLookSlow) = (nil, false)
        switch presence {
        case .present where entry.retryCount < Self.maximumRetryCount:
            entry.retryCount += 1
            entries[id] = entry
            return [.retry(id)]
        case .missing where !isCurrent:
            entries[id] = entry
            return []
        case .present, .missing:
            entries[id] = nil
            return [.fail(id, entry.error)]
        case .away(let folder):
            (entry.folder, entry.retryCount) = (folder, 0)
            entries[id] = entry
            return waited.insert(folder).inserted ? [.wait(folder)] : []
        }
    }

    /// Called when a look takes long, as at a share whose server does not respond: what the file is on is away until the look is answered.
    mutating func lookIsSlow(_ id: String) { entries[id]?.isLookSlow = true }

    /// Called after the wait for a folder has ended.
    mutating func changed(_ folder: FilePath) -> [Effect] {
        waited.remove(folder)
        return entries.filter { $0.value.folder == folder }.keys.sorted().map { .look($0) }
    }

    /// Looks for everything that is away now, because a client wants to play.
    func lookAgain() -> [Effect] { entries.filter { $0.value.folder != nil }.keys.sorted().map { .look($0) } }

    /// Called after the entry was opened for the first time, or is not opened any more.
    mutating func forget(_ id: String) { entries[id] = nil }
}

extension PlaybackError {
    /// Whether the file may only be away: it was not found, or the system reported an error of its device or server.
    var mayBeAbsence: Bool { code == .fileNotFound || (underlying?.domain == "POSIX" && code != .permissionDenied) }
}
