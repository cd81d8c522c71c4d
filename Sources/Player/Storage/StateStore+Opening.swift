import Glibc
public import Platform

extension StateStore {
    /// The content of a state directory when it is opened.
    public struct Content: Sendable {
        /// The state of the player; nil if there is none.
        public var player: SavedPlayer?
        /// The positions of media, the oldest first.
        public var positions: [MediaPosition] = []
        /// The state of the server without its player.
        public var server = SavedServer()
        /// Whether there was a database that could not be used, so that the state of the earlier run is lost.
        public var isLost = false
    }

    /// The error of a state directory that cannot be used, so that the state would not survive a restart.
    public struct Unavailable: Error, Sendable, Hashable, CustomStringConvertible {
        /// The failure, as clients receive it.
        public let failure: PersistenceFailure
        public var description: String { failure.message }

        public init(_ failure: PersistenceFailure) { self.failure = failure }

        fileprivate init(_ error: DatabaseError) {
            self.init(PersistenceFailure(.unavailable, "The database of the state cannot be used: \(error.description)."))
        }

        fileprivate init(_ error: SystemError) {
            self.init(PersistenceFailure(.unavailable, "The state directory cannot be used: \(error.description)."))
        }

        fileprivate init(_ error: StateDirectory.Unusable) {
            switch error {
            case .inUse: self.init(PersistenceFailure(.inUse, "Another program uses the state directory."))
            case .untrusted(let reason): self.init(PersistenceFailure(.unavailable, "The state directory cannot be trusted: \(reason)."))
            case .failed(let error): self.init(error)
            }
        }
    }

    /// Starts the store. Creates what is missing; a database that is damaged or newer is renamed, and a new one created. Blocks.
    ///
    /// - Parameters:
    ///   - directory: The absolute path.
    ///   - note: Called if a database was renamed, with the reason and its new path.
    ///   - report: Called, on any thread, after `failure` has changed.
    public static func open(
        directory path: String, clock: any HostClock, note: (_ reason: String, _ path: String) -> Void,
        report: @escaping @Sendable () -> Void
    ) throws(Unavailable) -> (store: StateStore, content: Content) {
        let directory = try Self.directory(path)
        let (tables, content) = try tables(in: directory, note: note)
        let store = StateStore(clock: clock, report: report)
        store.start(tables, holding: directory)
        return (store, content)
    }

    /// Whether a directory may have the state of an earlier run, whether or not it can be used; false if it has no database. Blocks.
    public static func mayHaveState(in directory: String) -> Bool {
        access(directory + "/" + StateDirectory.databaseName, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }

    private static func directory(_ path: String) throws(Unavailable) -> StateDirectory {
        do throws(StateDirectory.Unusable) { return try StateDirectory(path: path) } catch { throw Unavailable(error) }
    }

    private static func tables(
        in directory: StateDirectory, note: (_ reason: String, _ path: String) -> Void
    ) throws(Unavailable) -> (StateTables, Content) {
        do throws(DatabaseError) { return try read(directory) } catch {
            let word: String
            switch error.kind {
            case .damaged: word = "damaged"
            case .newer: word = "newer"
            case .diskFull, .failed: throw Unavailable(error)
            }
            do throws(SystemError) { note(error.description, try directory.setAside(because: word)) } catch { throw Unavailable(error) }
        }
        do throws(DatabaseError) {
            let (tables, content) = try read(directory)
            var new = content
            new.isLost = true
            return (tables, new)
        } catch { throw Unavailable(error) }
    }

    private static func read(_ directory: StateDirectory) throws(DatabaseError) -> (StateTables, Content) {
        do throws(SystemError) { try directory.makeDatabaseFile() } catch { throw DatabaseError(.failed, error.description) }
        let database = try Database(path: directory.databasePath)
        try Schema.prepare(database)
        let tables = try StateTables(database, position: try PositionFile(path: directory.positionPath))
        let content = Content(player: try tables.read(), positions: try tables.readPositions(), server: try tables.server.read())
        return (tables, content)
    }
}
