import AVFoundation
import Dispatch
import Platform
import PlaybackEngine
import Playlist

/// Returns free memory to the kernel after changes of the player's state, because each medium leaves some between blocks that live longer.
@MainActor final class MemoryTrimmer {
    /// In seconds; changes within it cause one return.
    private static let delay = 10.0

    private var observation: ObservationToken?
    private var trimming: (any ScheduledAction)?

    func observe(_ player: PlaylistPlayer) {
        let environment = PlaybackEnvironment.default
        observation = player.observe { [weak self] in
            guard case .state = $0, let self, trimming == nil else { return }
            trimming = environment.scheduler.schedule(at: environment.clock.now + Self.delay) { [weak self] in
                self?.trimming = nil
                DispatchQueue.global(qos: .utility).async { Heap.trim() }
            }
        }
    }

    /// Also cancels the scheduled return.
    func stop() {
        observation?.cancel()
        trimming?.cancel()
    }
}
