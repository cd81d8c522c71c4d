import Platform
import Player
import RemoteControl

/// Saves the player's state for the next run. Contains the store, and what the store contained at the start.
@MainActor final class StatePersistence {
    /// The state of the earlier run, without what the command line replaces; nil after `didStart`.
    private(set) var saved: SavedPlayer?
    /// The saved state if playback has to continue; nil after `didStart`.
    private(set) var resumed: SavedPlayer?
    /// The volume without a saved state: a safe one if there may be a state that cannot be used.
    let initialVolume: Double
    /// The saver of the player's state; nil if the state is not saved.
    let saver: StateSaver?
    /// The id by which clients recognise the player; kept with the state.
    let playerID: String
    /// The content of the store at the start; nil after `didStart`, when the player and the server have read it.
    private var content: StateStore.Content?
    private let store: StateStore?
    private let log: Log
    private(set) var persistence: PlayerState.Persistence
    private weak var player: PlaylistPlayer?

    /// Opens the store. If there is no directory, or it cannot be opened, nothing is saved. Blocks.
    init(_ options: Options, directory: String?, log: Log, clock: any HostClock, scheduler: any MainScheduler) {
        self.log = log
        let relay = Relay()
        var opened: (store: StateStore, content: StateStore.Content)?
        var failure: PersistenceFailure?
        // The opening may make a database and fail then. Without HOME, the folder of an earlier run cannot be named.
        let mayHaveState = directory.map { StateStore.mayHaveState(in: $0) } ?? true
        if !options.noState {
            do throws(StateStore.Unavailable) {
                guard let directory else {
                    throw StateStore.Unavailable(
                        PersistenceFailure(.unavailable, "There is no folder for the state: set HOME, or name one with --state-dir."))
                }
                opened = try StateStore.open(
                    directory: directory, clock: clock,
                    note: { log(.warning, "the kept state cannot be used, and was set aside", ["file": $1, "reason": $0]) },
                    report: { scheduler.async { relay.state?.storeDidReport() } })
            } catch {
                failure = error.failure
                log(
                    .error, "the state is not kept", ["directory": directory ?? "", "code": error.failure.code.rawValue, "reason": error.description])
            }
        }
        persistence = PlayerState.Persistence(isKept: opened != nil, error: failure)
        initialVolume = (failure != nil && mayHaveState) || opened?.content.isLost == true ? SavedSettings.safeVolume : 1
        store = opened?.store
        saved = opened?.content.player.map { Self.overridden($0, by: options) }
        resumed = options.resumesPlayback && options.media.isEmpty ? saved : nil
        saver = opened.map { opened in
            StateSaver(
                opened.store, kept: opened.content.player,
                positions: options.remembersPositions ? MediaPositions(opened.content.positions) : nil, clock: clock, scheduler: scheduler)
        }
        let server = opened?.content.server
        playerID = server?.playerID ?? RemoteAPI.Configuration.randomEpoch()
        content = opened?.content
        relay.state = self
        if server?.playerID == nil { store?.keep(playerID: playerID) }
    }

    /// Permits the restored queue's files that an earlier command line named. Saves their permissions and those of `confinement` for the next run.
    func permitting(_ confinement: PathConfinement) -> PathConfinement {
        // A replaced queue stays in the database until the next write, and its permissions too.
        let former = content?.server.permittedFiles ?? []
        let queued = content?.player.map { PermittedFile.of($0.playlist, among: former) } ?? []
        let named = confinement.permittedFiles
        if let store, !former.isEmpty || !named.isEmpty { store.keep(named + queued) }
        return confinement.permitting(saved.map { PermittedFile.of($0.playlist, among: queued) } ?? [])
    }

    /// Connects the store, which is opened before the `StatePersistence` exists, to the `StatePersistence`.
    @MainActor private final class Relay {
        weak var state: StatePersistence?
    }

    /// Returns the saved state without its entries if the command line names media, which replace the queue.
    private static func overridden(_ saved: SavedPlayer, by options: Options) -> SavedPlayer {
        guard !options.media.isEmpty else { return saved }
        var saved = saved
        saved.playlist = saved.playlist.withoutEntries
        saved.playhead = SavedPlayer.Playhead()
        return saved
    }

    /// Releases the data that only the start needed.
    func didStart() { (content, saved, resumed) = (nil, nil, nil) }

    /// Connects the player: from now on it publishes whether its state is saved, and each choice of an output is saved.
    func connect(_ player: PlaylistPlayer, outputs: OutputChoices) {
        self.player = player
        outputs.onChange { [weak self, weak outputs] in if let outputs { self?.saver?.setOutput(outputs.chosen) } }
        storeDidReport()
    }

    /// Called after the player was shut down; blocks for a fraction of a second.
    func close() { store?.close() }

    private func storeDidReport() {
        guard let store else { return }
        let new = PlayerState.Persistence(isKept: store.failure == nil, error: store.failure)
        guard new != persistence else { return }
        let wasKept = persistence.isKept
        persistence = new
        if let error = new.error {
            let fields: KeyValuePairs<StaticString, String> = ["code": error.code.rawValue, "reason": error.message]
            if wasKept {
                log(.error, "the state is not kept: a restart would lose the changes from now on", fields)
            } else {
                log(.error, "the unkept state has another reason", fields)
            }
        } else {
            log(.info, "the state is kept again")
        }
        player?.setPersistence(new)
    }
}
