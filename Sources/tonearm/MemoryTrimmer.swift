import AVFoundation
import Dispatch
import Platform
import PlaybackEngine
import Playlist

/// Returns free memory to the kernel after changes of the player's state, because each medium leaves unused memory between blocks that live longer.
/// If the state does not change, nothing is scheduled.
@MainActor final class MemoryTrimmer {
    /// The time, in seconds, from a change of the player's state until free memory is returned. Several changes of the state within 10 seconds cause
    /// one return of memory.
    private static let delay = 10.0

    private var observation: ObservationToken?
    private var trimming: (any ScheduledAction)?

    /// Begins to observe a player.
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

    /// Ends the observation of the player, and cancels the scheduled return of memory.
    func stop() {
        observation?.cancel()
        trimming?.cancel()
    }
}
