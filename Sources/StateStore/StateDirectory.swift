import Glibc
import Platform

/// The directory in which the program keeps its state. If the program creates the directory, only its owner has access (0700); an existing directory
/// keeps its mode. The database file is created with 0600, because the queue may contain private URLs.
///
/// The directory is locked while a `StateDirectory` of it exists, so that two programs never write the same database.
final class StateDirectory: Sendable {
    /// The name of the database's file. SQLite creates the log in the same directory.
    static let databaseName = "state.db"
    private static let lockName = "lock"
    /// The endings of the names of all files that belong to one database.
    private static let endings = ["", "-wal", "-shm", "-journal"]
    /// The maximum number of databases that are kept under a new name (`setAside`), for each reason. If there are so many, the next one replaces the
    /// one with the highest number.
    private static let maximumSetAside = 5

    /// The reason why the directory cannot be used.
    enum Unusable: Error, Sendable, Hashable {
        /// Another program uses the directory.
        case inUse
        /// A system call failed.
        case failed(SystemError)
    }

    let path: String
    private let lock: Int32

    /// Creates the directory if it is missing, and locks it. Blocks.
    init(path: String) throws(Unusable) {
        self.path = path
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path) } catch { throw Unusable.failed(error.error) }
        lock = open(path + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .failed(SystemError(operation: "open", code: errno)) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            if code == EWOULDBLOCK { throw .inUse }
            throw .failed(SystemError(operation: "flock", code: code))
        }
    }

    /// Releases the lock. The kernel releases it at the latest at the end of the process.
    deinit {
        guard lock >= 0 else { return }
        // A child process that is being started has a copy of the descriptor until it executes its program. So the lock would outlast `close`.
        flock(lock, LOCK_UN)
        close(lock)
    }

    var databasePath: String { path + "/" + Self.databaseName }
    /// The path of the `PositionFile`.
    var positionPath: String { path + "/position" }

    /// Creates the database's file if it is missing, with mode 0600; an existing file keeps its mode. SQLite gives the log the same permissions.
    func makeDatabaseFile() throws(SystemError) {
        let descriptor = open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError(operation: "open", code: errno) }
        close(descriptor)
    }

    /// Renames the database and its log, so that a new database can be created. Returns the new path of the old database.
    ///
    /// - Parameter reason: The reason as one word (`damaged`, `newer`), which becomes a part of the new name.
    func setAside(because reason: String) throws(SystemError) -> String {
        func name(_ number: Int) -> String { path + "/state.\(reason)-\(number).db" }
        let number = (1...Self.maximumSetAside).first { access(name($0), F_OK) != 0 } ?? Self.maximumSetAside
        for ending in Self.endings {
            unlink(name(number) + ending)
            guard rename(databasePath + ending, name(number) + ending) == 0 || errno == ENOENT else {
                throw SystemError(operation: "rename", code: errno)
            }
        }
        return name(number)
    }
}
