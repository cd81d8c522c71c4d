import PlaybackEngine
import Playlist

/// Looks into media without playing them: a few at once, each for a bounded time. Any thread.
///
/// A look that is given up keeps its place until the thread that opens the medium has returned: a disk that hangs costs four threads, however often it is
/// asked about.
final class MediaInspector: Sendable {
    /// How many files at once, and how many media of other machines: those that do not answer keep nobody from looking into a file.
    static let capacity = 4
    /// Seconds that one may take.
    static let patience = 20.0

    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let files = PlacePool(limit: capacity)
    private let others = PlacePool(limit: capacity)

    init(player: any RemotePlayer, clock: any HostClock, scheduler: any MainScheduler) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
    }

    func inspect(_ source: MediaSource) async throws(Problem) -> AssetReport {
        let interrupt = AssetInterrupt()
        switch try await look(into: source, interrupt, { place in await self.player.inspect(source, interrupt: interrupt, place: place) }) {
        case .success(let report): return report
        case .failure where interrupt.isRaised:
            throw Problem(PlayerState.Failure(code: "timedOut", message: "The medium does not tell what it is."))
        case .failure(let failure): throw Problem(failure)
        }
    }

    /// The picture of an item whose medium is `source`, read from there; nil where there is none.
    func artwork(itemID: String, _ source: MediaSource) async throws(Problem) -> Artwork? {
        let interrupt = AssetInterrupt()
        return try await look(into: source, interrupt) { place in
            await self.player.readArtwork(itemID: itemID, interrupt: interrupt, place: place)
        }
    }

    /// Gives `look` its place and its time. The timer is the main actor's; the look itself is not.
    @MainActor private func look<Result: Sendable>(
        into source: MediaSource, _ interrupt: AssetInterrupt, _ look: @Sendable (PlacePool.Place) async -> Result
    ) async throws(Problem) -> Result {
        let pool = if case .file = source.location { files } else { others }
        guard let place = pool.take() else {
            var problem = Problem(.tooManyRequests, "Too many media are being looked into.")
            problem.retryAfter = 1
            throw problem
        }
        let timer = scheduler.schedule(at: clock.now + Self.patience) { interrupt.raise() }
        defer { timer.cancel() }
        return await look(place)
    }
}
