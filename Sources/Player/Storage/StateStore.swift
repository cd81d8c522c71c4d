import Platform
import Synchronization

/// Writes the state of a player to a database, on a thread of its own, so that neither the main actor nor audio nor a client waits for the disk.
///
/// A change is written as soon as the preceding write has ended, usually within milliseconds. Changes that arrive during a write are written
/// together. A write that fails is repeated with the next change, and otherwise every `retryInterval` seconds. Until a write succeeds, the store
/// reports the failure.
public final class StateStore: PlayerArchive {
    /// The interval between two attempts to write while writing fails, in seconds.
    static let retryInterval = 5.0

    private struct State {
        var change = PlayerChange()
        var hasChange = false
        /// The failure of the last write; nil if the last write succeeded.
        var failure: PersistenceFailure?
        var isClosing = false
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()
    private let ended = WakeSignal()
    private let clock: any HostClock
    private let report: @Sendable () -> Void

    /// Makes a store whose thread is not started.
    /// - Parameter report: The function that is called, on any thread, after `failure` has changed.
    init(clock: any HostClock, report: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.report = report
    }

    /// The reason why the newest changes are not written: the failure of the last write; nil if the last write succeeded.
    public var failure: PersistenceFailure? { state.withLock { $0.failure } }

    // MARK: PlayerArchive

    public func keep(_ player: SavedPlayer) {
        add { change in
            let earlier = change.player
            change.player = player
            if let earlier { change.player?.changedEntries = earlier.changedEntries.flatMap { player.changedEntries?.union($0) } }
        }
    }

    public func keep(_ position: MediaPosition, removing urls: [[UInt8]]) {
        add { change in
            change.positions.removeAll { $0.url == position.url }
            change.forgotten.removeAll { $0 == position.url }
            if position.time != nil { change.positions.append(position) }
            change.forgotten += urls
        }
    }

    // MARK: The server

    /// Saves the id of the player.
    public func keep(playerID: String) { add { $0.server.playerID = playerID } }

    /// Saves the files outside the media roots that a command line has named, and no others.
    public func keep(_ files: [PermittedFile]) { add { $0.server.permittedFiles = files } }

    private func add(_ addition: (inout PlayerChange) -> Void) {
        let isOpen = state.withLock { state in
            guard !state.isClosing else { return false }
            addition(&state.change)
            state.hasChange = true
            return true
        }
        if isOpen { wake.raise() }
    }

    // MARK: The thread

    /// The objects that the store's thread owns. `@unchecked Sendable`: the thread that makes the objects does not use them after it
    /// has passed them on.
    private struct Belongings: @unchecked Sendable {
        let writer: any PlayerWriter
        /// The state directory, which is locked until the store's thread ends; nil in tests.
        let directory: StateDirectory?
    }

    /// Starts the store's thread. After the start, only the store's thread uses `writer`.
    func start(_ writer: any PlayerWriter, holding directory: StateDirectory?) {
        let handover = Mutex<Belongings?>(Belongings(writer: writer, directory: directory))
        _ = WorkerThread(name: "state") { [self] in
            // The thread takes the writer and the directory out of `handover`, so that both are released before the thread reports its end.
            if let taken = handover.withLock({ $0.take() }) { run(taken.writer) }
            ended.raise()
        }
    }

    private func run(_ writer: any PlayerWriter) {
        while true {
            let mustRetry = step(writer)
            if state.withLock({ $0.isClosing && (!$0.hasChange || mustRetry) }) { break }
            if mustRetry { _ = wake.wait(until: clock.now + Self.retryInterval) } else { wake.wait() }
        }
    }

    /// Writes the changes that have arrived. Returns true if the write has failed and has to be repeated.
    func step(_ writer: any PlayerWriter) -> Bool {
        let change = state.withLock { state -> PlayerChange? in
            guard state.hasChange else { return nil }
            defer { (state.change, state.hasChange) = (PlayerChange(), false) }
            return state.change
        }
        guard let change else { return false }
        do throws(DatabaseError) {
            try writer.write(change)
            setFailure(nil)
            writer.tidy()
            return false
        } catch {
            putBack(change)
            setFailure(Self.failure(error))
            return true
        }
    }

    /// Stores a change whose write failed, for the next attempt. Changes that have arrived during the failed write are newer, and have priority.
    private func putBack(_ change: PlayerChange) {
        state.withLock { state in
            let newer = state.change
            state.change = change
            if let player = newer.player { state.change.player = player }
            // The next attempt writes all entries, because the ids of those that change while writing fails could fill the memory.
            state.change.player?.changedEntries = nil
            let known = Set(newer.positions.map(\.url) + newer.forgotten)
            state.change.positions.removeAll { known.contains($0.url) }
            state.change.positions += newer.positions
            state.change.forgotten.removeAll { known.contains($0) }
            state.change.forgotten += newer.forgotten
            state.change.server = newer.server
            state.change.server.add(older: change.server)
            // The number of stored positions of media is limited, because they would otherwise fill the memory while writing fails.
            let surplus = max(0, state.change.positions.count - MediaPositions.maximumCount)
            state.change.positions.removeFirst(surplus)
            state.hasChange = true
        }
    }

    private func setFailure(_ failure: PersistenceFailure?) {
        let isNew = state.withLock { state in
            defer { state.failure = failure }
            return state.failure?.code != failure?.code
        }
        if isNew { report() }
    }

    private static func failure(_ error: DatabaseError) -> PersistenceFailure {
        switch error.kind {
        case .diskFull: PersistenceFailure(.diskFull, "There is no free space for the state directory.")
        case .damaged: PersistenceFailure(.damaged, "The database of the state is damaged: \(error.description).")
        case .newer, .failed: PersistenceFailure(.writeFailed, "The state cannot be written: \(error.description).")
        }
    }

    // MARK: Closing

    /// Writes the last change and ends the store's thread. Blocks until the thread has ended, at most `seconds` seconds.
    public func close(within seconds: Double = 0.3) {
        state.withLock { $0.isClosing = true }
        wake.raise()
        _ = ended.wait(until: clock.now + seconds)
    }
}
