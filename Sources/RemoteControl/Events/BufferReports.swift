import PlaybackEngine
import Playlist

/// Reports the current item's buffer while at least one stream exists. Changes are combined, and reports are at least `shortestInterval` apart.
///
/// A change of `isFull` alone is not reported, because it toggles about once a second while a file plays.
@MainActor final class BufferReports {
    /// The shortest time between two reports, in seconds.
    static let shortestInterval = 0.25

    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let tell: @MainActor (BufferState) -> Void
    private var observation: ObservationToken?
    private var timer: (any ScheduledAction)?
    private var isDue = false
    private var latest: (state: BufferState, time: HostTime)?

    init(player: any RemotePlayer, clock: any HostClock, scheduler: any MainScheduler, tell: @escaping @MainActor (BufferState) -> Void) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
        self.tell = tell
        observation = player.observeBuffer { [weak self] in self?.didChange() }
    }

    private func didChange() {
        guard !isDue else { return }
        isDue = true
        if let latest, latest.time + Self.shortestInterval > clock.now {
            timer = scheduler.schedule(at: latest.time + Self.shortestInterval) { [weak self] in self?.report() }
        } else {
            // Two turns later: the player publishes its state one turn after the cause, and the report must follow the state that has the item.
            scheduler.async { [weak self] in
                self?.scheduler.async { self?.report() }
            }
        }
    }

    private func report() {
        isDue = false
        timer = nil
        guard observation != nil, let state = player.buffer else { return }
        if var same = latest?.state {
            same.isFull = state.isFull
            if same == state { return }
        }
        latest = (state, clock.now)
        tell(state)
    }

    func cancel() {
        observation?.cancel()
        observation = nil
        timer?.cancel()
        timer = nil
    }
}
