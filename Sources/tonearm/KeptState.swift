import Platform
import Playlist
import StateStore

/// The part of the daemon that survives a restart: the store, and what it contained at the start.
@MainActor final class KeptState {
    /// What was kept of the earlier run, without what the command line replaces; nil if nothing was kept.
    let saved: SavedPlayer?
    /// What was kept, if playback is to continue after the start; otherwise nil.
    let resumed: SavedPlayer?
    /// The keeper for the player; nil if no state is kept.
    let keeper: StateKeeper?
    private let store: StateStore?
    private let log: Log
    private(set) var persistence: PlayerState.Persistence
    private weak var player: PlaylistPlayer?

    /// Opens the state directory. If that is impossible, the daemon runs without state. Blocks.
    ///
    /// - Parameter directory: The absolute path of the state directory; nil if there is none.
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
        relay.state = self
    }

    /// Connects the store's reports with their receiver, which does not exist when the store is opened.
    @MainActor private final class Relay {
        weak var state: KeptState?
    }

    /// Returns what was kept without that which the command line replaces: the queue, if it names media.
    private static func overridden(_ saved: SavedPlayer, by options: Options) -> SavedPlayer {
        guard !options.media.isEmpty else { return saved }
        var saved = saved
        saved.playlist = saved.playlist.withoutEntries
        saved.playhead = SavedPlayer.Playhead()
        return saved
    }

    /// Returns after all changes so far are kept. Any thread.
    nonisolated var settle: @Sendable () async -> Void { { [store] in await store?.settle() } }

    /// Publishes from now on whether the state is kept, and keeps each choice of an output.
    func connect(_ player: PlaylistPlayer, outputs: OutputChoices) {
        self.player = player
        outputs.onChange { [weak self, weak outputs] in if let outputs { self?.keeper?.setOutput(outputs.chosen) } }
        storeDidReport()
    }

    /// Writes the last changes. Called after the player was shut down. Blocks for a fraction of a second.
    func close() { store?.close() }

    private func storeDidReport() {
        guard let store else { return }
        let new = PlayerState.Persistence(isKept: store.failure == nil, error: store.failure)
        guard new != persistence else { return }
        persistence = new
        if let error = new.error {
            log(
                .error, "the state is not kept: a restart would lose the changes from now on", ["code": error.code.rawValue, "reason": error.message])
        } else {
            log(.info, "the state is kept again")
        }
        player?.setPersistence(new)
    }
}
