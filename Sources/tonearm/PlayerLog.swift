import AVFoundation
import PlaybackEngine
import Player

/// Logs changes of the player's state.
@MainActor final class PlayerLog {
    private let log: Log
    private var state: PlayerState
    private var observation: ObservationToken?

    init(_ log: Log, player: PlaylistPlayer) {
        self.log = log
        state = player.state
        observation = player.observe { [weak self] in if case .state(let state) = $0 { self?.stateDidChange(state) } }
    }

    func stop() { observation?.cancel() }

    private func stateDidChange(_ new: PlayerState) {
        let former = state
        state = new
        if let item = new.currentItem, item.id != former.currentItem?.id || item.status != former.currentItem?.status {
            switch item.status {
            case .readyToPlay:
                log(
                    .info, "an item is loaded",
                    ["url": item.url, "codec": item.format?.codec ?? "", "seconds": item.duration.map(Log.seconds) ?? "unknown"])
            case .failed:
                log(
                    .warning, "an item cannot be played",
                    ["url": item.url, "code": item.error?.code.rawValue ?? "", "reason": item.error?.message ?? ""])
            case .unknown: break
            }
        }
        if new.reasonForWaitingToPlay == .mediaUnavailable,
            former.reasonForWaitingToPlay != .mediaUnavailable || new.currentItem?.id != former.currentItem?.id
        {
            log(.warning, "the disk or share of an item is away, and the queue waits for it", ["url": new.currentItem?.url ?? ""])
        }
        if let network = new.network, network.attempt != former.network?.attempt {
            log(
                .warning, "the connection to a server is lost",
                ["url": new.currentItem?.url ?? "", "reason": network.error.message, "attempt": "\(network.attempt)"])
        } else if new.network == nil, former.network != nil, new.currentItem?.id == former.currentItem?.id, new.currentItem?.status != .failed {
            log(.info, "the connection to a server works again", ["url": new.currentItem?.url ?? ""])
        }
        if new.timeControlStatus != former.timeControlStatus {
            log(
                .debug, "the playback status changed",
                ["is": new.timeControlStatus.name, "reason": new.lastChange.reason.rawValue, "origin": new.lastChange.origin])
        }
    }
}
