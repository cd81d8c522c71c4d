import PlaybackEngine
import Playlist
import Synchronization

/// Looks into media without playing them: a few at once, each for a bounded time. Any thread.
final class MediaInspector: Sendable {
    /// How many at once.
    static let capacity = 4
    /// Seconds that one may take.
    static let patience = 20.0

    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let pending = Atomic<Int>(0)

    init(player: any RemotePlayer, clock: any HostClock, scheduler: any MainScheduler) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
    }

    func inspect(_ source: MediaSource) async throws(Problem) -> AssetReport {
        defer { pending.subtract(1, ordering: .relaxed) }
        guard pending.add(1, ordering: .relaxed).newValue <= Self.capacity else {
            var problem = Problem(.tooManyRequests, "Too many media are being looked into.")
            problem.retryAfter = 1
            throw problem
        }
        let interrupt = AssetInterrupt()
        switch await inspect(source, interrupt) {
        case .success(let report): return report
        case .failure where interrupt.isRaised:
            throw Problem(PlayerState.Failure(code: "timedOut", message: "The medium does not tell what it is."))
        case .failure(let failure): throw Problem(failure)
        }
    }

    /// The timer is the main actor's; the look itself is not.
    @MainActor private func inspect(_ source: MediaSource, _ interrupt: AssetInterrupt) async -> Result<AssetReport, PlayerState.Failure> {
        let timer = scheduler.schedule(at: clock.now + Self.patience) { interrupt.raise() }
        defer { timer.cancel() }
        return await player.inspect(source, interrupt: interrupt)
    }
}
