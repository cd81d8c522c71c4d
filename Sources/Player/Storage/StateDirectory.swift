import Glibc
import Platform

/// The directory in which the program keeps its state. It is created with mode 0700, the database with 0600, because the queue may contain private
/// URLs. It is locked while the object exists, so that two programs never write the same database.
final class StateDirectory: Sendable {
    /// The name of the database; SQLite creates the log beside it.
    static let databaseName = "state.db"
    private static let lockName = "lock"
    private static let positionName = "position"
    /// The endings of the files of one database.
    private static let endings = ["", "-wal", "-shm", "-journal"]
    /// The number of databases that `setAside` keeps for each reason; the next database replaces the one with the highest number.
    private static let maximumSetAside = 5

    /// The reason why the directory cannot be used.
    enum Unusable: Error, Sendable, Hashable {
        case inUse
        /// The content grants files and contains passwords of URLs, and another user may have written it.
        case untrusted(String)
        case failed(SystemError)
    }

    let path: String
    private let lock: Int32

    /// Makes the directory if it is missing, and locks it. Blocks.
    init(path: String) throws(Unusable) {
        self.path = path
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path) } catch { throw Unusable.failed(error.error) }
        for name in [""] + Self.endings.map({ Self.databaseName + $0 }) + [Self.positionName, Self.lockName] {
            let item = path + "/" + name
            if let reason = PrivateFolder.distrust(of: item) { throw .untrusted("\(item): \(reason)") }
        }
        lock = open(path + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .failed(SystemError(operation: "open", code: errno)) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            if code == EWOULDBLOCK { throw .inUse }
            throw .failed(SystemError(operation: "flock", code: code))
        }
    }

    /// Releases the lock, as the kernel does at the end of the process.
    deinit {
        guard lock >= 0 else { return }
        // A starting child process has a copy of the descriptor, so the lock would outlast `close`.
        flock(lock, LOCK_UN)
        close(lock)
    }

    var databasePath: String { path + "/" + Self.databaseName }
    var positionPath: String { path + "/" + Self.positionName }

    /// Makes the file with mode 0600; an existing file keeps its mode. SQLite gives the log the same mode as the database.
    func makeDatabaseFile() throws(SystemError) {
        let descriptor = open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError(operation: "open", code: errno) }
        close(descriptor)
    }

    /// Renames the database with its log, and returns the new path.
    /// - Parameter reason: `damaged` or `newer`, a part of the new name.
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
