import Platform
public import Playlist
import Synchronization

/// Keeps a player in a database, on a thread of its own. So neither the main actor nor audio waits for the disk.
///
/// A write that fails is repeated with the next change, and otherwise every `retryInterval` seconds. Until it succeeds, the store reports the failure.
public final class StateStore: PlayerArchive {
    /// The interval between two attempts to write while writing fails, in seconds.
    static let retryInterval = 5.0
    /// The time for the last write, when the program stops, in seconds.
    private static let closingTime = 0.3

    private struct State {
        var change = PlayerChange()
        var hasChange = false
        /// The failure of the last write; nil if it succeeded.
        var failure: PersistenceFailure?
        var isClosing = false
    }

    private let state = Mutex(State())
    private let acknowledgements = Acknowledgements()
    private let wake = WakeSignal()
    private let ended = WakeSignal()
    private let clock: any HostClock
    private let report: @Sendable () -> Void

    /// A store that has not started.
    /// - Parameter report: Called on any thread after `failure` has changed.
    init(clock: any HostClock, report: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.report = report
    }

    /// The reason why the newest changes are not kept; nil if they are kept, or are being written.
    public var failure: PersistenceFailure? { state.withLock { $0.failure } }

    // MARK: PlayerArchive

    public func keep(_ player: SavedPlayer) { add { $0.player = player } }

    public func keep(_ position: MediaPosition, removing urls: [[UInt8]]) {
        add { change in
            change.positions.removeAll { $0.url == position.url }
            change.forgotten.removeAll { $0 == position.url }
            if position.time != nil { change.positions.append(position) }
            change.forgotten += urls
        }
    }

    public func settle() async { await acknowledgements.wait() }

    public func endLongWaits() -> Bool {
        switch acknowledgements.endLongWaits(at: clock.now) {
        case .idle: return false
        case .waiting, .late: return true
        case .becameLate:
            setFailure(PersistenceFailure(.writeSlow, "The disk with the state directory does not respond."))
            return true
        }
    }

    private func add(_ edit: (inout PlayerChange) -> Void) {
        let isOpen = state.withLock { state in
            guard !state.isClosing else { return false }
            edit(&state.change)
            state.hasChange = true
            // The number is taken with the lock held, so that the thread that takes the change knows its number.
            acknowledgements.add(at: clock.now)
            return true
        }
        if isOpen { wake.raise() }
    }

    // MARK: The thread

    /// What the thread owns. `@unchecked Sendable`: the creating thread gives it away.
    private struct Belongings: @unchecked Sendable {
        let writer: any PlayerWriter
        /// The directory, whose lock is held until the thread ends.
        let directory: StateDirectory?
    }

    /// Starts the thread, which alone uses `writer` from now on.
    func start(_ writer: any PlayerWriter, holding directory: StateDirectory?) {
        let handover = Mutex<Belongings?>(Belongings(writer: writer, directory: directory))
        _ = WorkerThread(name: "state") { [self] in
            // The thread takes both out of the closure, so that it closes them before it reports its end.
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

    /// Writes what has arrived. Returns whether the write has failed, so that it must be repeated.
    func step(_ writer: any PlayerWriter) -> Bool {
        let (change, number) = state.withLock { state -> (PlayerChange?, UInt64) in
            defer { (state.change, state.hasChange) = (PlayerChange(), false) }
            return (state.hasChange ? state.change : nil, acknowledgements.newest)
        }
        guard let change else { return false }
        do throws(DatabaseError) {
            try writer.write(change)
            setFailure(nil)
            acknowledgements.end(number, at: clock.now)
            writer.tidy()
            return false
        } catch {
            putBack(change)
            setFailure(Self.failure(error))
            acknowledgements.end(number, at: clock.now)
            return true
        }
    }

    /// Keeps a change that could not be written for the next attempt. What has arrived meanwhile is newer.
    private func putBack(_ change: PlayerChange) {
        state.withLock { state in
            let newer = state.change
            state.change = change
            if let player = newer.player { state.change.player = player }
            let known = Set(newer.positions.map(\.url) + newer.forgotten)
            state.change.positions.removeAll { known.contains($0.url) }
            state.change.positions += newer.positions
            state.change.forgotten.removeAll { known.contains($0) }
            state.change.forgotten += newer.forgotten
            // While nothing can be written, the positions of media must not fill the memory.
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

    /// Writes the last change and ends the thread. Blocks until then, at most for a fraction of a second.
    public func close() {
        state.withLock { $0.isClosing = true }
        wake.raise()
        _ = ended.wait(until: clock.now + Self.closingTime)
    }
}
