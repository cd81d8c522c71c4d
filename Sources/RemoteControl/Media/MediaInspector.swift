import Platform
import PlaybackEngine
import Player

/// Opens media to read facts without playing them: a few at a time, each for a limited time, and not longer than its client waits. An inspection that
/// was ended counts until the thread that opens the medium returns, so hanging disks and servers occupy at most `capacity` threads each.
final class MediaInspector: Sendable {
    /// The greatest number of inspections of files, and separately of remote media, so that slow servers do not block files.
    static let capacity = 4
    /// The time limit for one inspection, in seconds.
    static let patience = 20.0

    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let files = SlotPool(limit: capacity)
    private let others = SlotPool(limit: capacity)

    init(player: any RemotePlayer, clock: any HostClock, scheduler: any MainScheduler) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
    }

    func inspect(_ source: MediaSource) async throws(Problem) -> AssetReport {
        let interrupt = AssetInterrupt()
        switch try await look(into: source, interrupt, { slot in await self.player.inspect(source, interrupt: interrupt, slot: slot) }) {
        case .success(let report): return report
        case .failure where interrupt.isRaised:
            throw Problem(PlayerState.Failure(code: .timedOut, message: "The medium could not be inspected in time."))
        case .failure(let failure): throw Problem(failure)
        }
    }

    /// - Parameter source: The item's medium, or the picture that its feed names.
    func artwork(itemID: String, _ source: MediaSource) async throws(Problem) -> Artwork? {
        let interrupt = AssetInterrupt()
        return try await look(into: source, interrupt) { slot in
            await self.player.readArtwork(itemID: itemID, interrupt: interrupt, slot: slot)
        }
    }

    /// Runs `look` in one of the `capacity` slots. Only the timer runs on the main actor, not `look`.
    @MainActor private func look<Result: Sendable>(
        into source: MediaSource, _ interrupt: AssetInterrupt, _ look: @Sendable (SlotPool.Slot) async -> Result
    ) async throws(Problem) -> Result {
        let pool = if case .file = source.location { files } else { others }
        guard let slot = pool.take() else {
            var problem = Problem(.tooManyRequests, "Too many media are being inspected.")
            problem.retryAfter = 1
            throw problem
        }
        let timer = scheduler.schedule(at: clock.now + Self.patience) { interrupt.raise() }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await look(slot)
        } onCancel: {
            interrupt.raise()
        }
    }
}
