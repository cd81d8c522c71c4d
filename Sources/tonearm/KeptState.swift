import Platform
import Playlist
import RemoteControl
import StateStore

/// The part of the daemon that saves the player's state for the next run of the program: the store, and the state that it contained at the start.
@MainActor final class KeptState {
    /// The state that the earlier run has saved, without the part that the command line replaces. Nil if no state was saved, and nil after
    /// `didStart`.
    private(set) var saved: SavedPlayer?
    /// The saved state if playback has to continue after the start of the program; otherwise nil. Also nil after `didStart`.
    private(set) var resumed: SavedPlayer?
    /// The keeper, which saves each change of the player's state; nil if the state is not saved.
    let keeper: StateKeeper?
    /// The id by which clients recognise the player. If the state is kept, each run of the program has the same id.
    let playerID: String
    /// The archive of the waveforms of files; nil if no state is kept.
    let waveformArchive: (any WaveformArchive)?
    /// The content of the state directory at the start; nil after `didStart`, because the player and the server have then read their parts of it.
    private var content: StateStore.Content?
    private let store: StateStore?
    private let log: Log
    private(set) var persistence: PlayerState.Persistence
    private weak var player: PlaylistPlayer?

    /// Opens the state directory. If the state directory cannot be opened, the daemon runs without saving its state. The initializer blocks.
    ///
    /// - Parameter directory: The absolute path of the state directory; nil if the daemon has no state directory.
    init(_ options: Options, directory: String?, log: Log, clock: any HostClock, scheduler: any MainScheduler) {
        self.log = log
        let relay = Relay()
        var opened: (store: StateStore, content: StateStore.Content)?
        var failure: PersistenceFailure?
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
        store = opened?.store
        saved = opened?.content.player.map { Self.overridden($0, by: options) }
        resumed = options.resumesPlayback && options.media.isEmpty ? saved : nil
        keeper = opened.map { opened in
            StateKeeper(
                opened.store, kept: opened.content.player,
                positions: options.remembersPositions ? MediaPositions(opened.content.positions) : nil, clock: clock, scheduler: scheduler)
        }
        let server = opened?.content.server
        playerID = server?.playerID ?? RemoteAPI.Configuration.randomEpoch()
        content = opened?.content
        waveformArchive = opened.flatMap { _ in directory.flatMap { KeptWaveforms(stateDirectory: $0) } }
        relay.state = self
        if server?.playerID == nil { store?.keep(playerID: playerID) }
    }

    /// Keeps waveforms in a folder of the state directory. Each has less than a mebibyte.
    private struct KeptWaveforms: WaveformArchive {
        private let folder: CacheFolder

        init?(stateDirectory: String) {
            guard let folder = CacheFolder(path: stateDirectory + "/waveforms", limits: CacheFolder.Limits(file: 2 << 20, total: 200 << 20)) else {
                return nil
            }
            self.folder = folder
        }

        func waveform(named name: String) -> [UInt8]? { folder.bytes(of: name) }
        func keep(_ waveform: [UInt8], named name: String) { folder.keep(waveform, as: name) }
    }

    /// Returns a rule that permits the files that `confinement` permits, and those files of the restored queue that the command line of an earlier
    /// run has named. Saves the permissions of both command lines for the next run.
    func permitting(_ confinement: PathConfinement) -> PathConfinement {
        // If media of the command line replace the saved queue, the saved queue stays in the database until the next write. Until then, its
        // permissions stay there too.
        let former = content?.server.permittedFiles ?? []
        let queued = content?.player.map { PermittedFile.of($0.playlist, among: former) } ?? []
        let named = confinement.permittedFiles
        if let store, !former.isEmpty || !named.isEmpty { store.keep(named + queued) }
        return confinement.permitting(saved.map { PermittedFile.of($0.playlist, among: queued) } ?? [])
    }

    /// Forwards the store's reports to the `KeptState`. The store is opened before the `KeptState` exists.
    @MainActor private final class Relay {
        weak var state: KeptState?
    }

    /// Returns the saved state without the part that the command line replaces: if the command line names media, they replace the queue.
    private static func overridden(_ saved: SavedPlayer, by options: Options) -> SavedPlayer {
        guard !options.media.isEmpty else { return saved }
        var saved = saved
        saved.playlist = saved.playlist.withoutEntries
        saved.playhead = SavedPlayer.Playhead()
        return saved
    }

    /// Removes the data that only the start of the program needed.
    func didStart() { (content, saved, resumed) = (nil, nil, nil) }

    /// Connects the player and the choice of the output. From now on, the player publishes whether its state is saved, and each choice of an output
    /// is saved.
    func connect(_ player: PlaylistPlayer, outputs: OutputChoices) {
        self.player = player
        outputs.onChange { [weak self, weak outputs] in if let outputs { self?.keeper?.setOutput(outputs.chosen) } }
        storeDidReport()
    }

    /// Writes the last changes to the disk. `close` is called after the player was shut down, and blocks for a fraction of a second.
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
