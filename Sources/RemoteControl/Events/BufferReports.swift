import PlaybackEngine
import Playlist

/// Reports of the current item's buffer, for as long as somebody listens: several changes are one report, and there are a few of those a second at most.
///
/// A change of fullness alone makes none: it comes and goes once a second while a file plays.
@MainActor final class BufferReports {
    /// Seconds between two reports.
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
            // Behind the state that has the item, which the player tells one turn after its cause.
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
