import PlaybackEngine
import Playlist

/// Logs what a player does, besides what its remotes are notified of.
@MainActor final class PlayerLog {
    private let log: Log
    /// The newest state.
    private var state: PlayerState
    private var observation: ObservationToken?

    /// Logs from here on.
    init(_ log: Log, player: PlaylistPlayer) {
        self.log = log
        state = player.state
        observation = player.observe { [weak self] in if case .state(let state) = $0 { self?.stateDidChange(state) } }
    }

    /// Ends the log of the player.
    func stop() { observation?.cancel() }

    private func stateDidChange(_ new: PlayerState) {
        let former = state
        state = new
        if let item = new.currentItem, item.id != former.currentItem?.id || item.status != former.currentItem?.status {
            switch item.status {
            case .readyToPlay:
                log(.info, "loaded", ["url": item.url, "codec": item.format?.codec ?? "", "seconds": item.duration.map(Log.seconds) ?? "unknown"])
            case .failed:
                log(.warning, "cannot be played", ["url": item.url, "code": item.error?.code ?? "", "reason": item.error?.message ?? ""])
            case .unknown: break
            }
        }
        if new.timeControlStatus != former.timeControlStatus {
            log(.debug, "status", ["is": new.timeControlStatus.rawValue, "reason": new.lastChange.reason.rawValue, "origin": new.lastChange.origin])
        }
    }
}
