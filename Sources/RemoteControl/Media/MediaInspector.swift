import PlaybackEngine
import Playlist
import Synchronization

/// Looks into media without playing them: a few at once, each for a bounded time. Any thread.
final class MediaInspector: Sendable {
    /// How many files at once, and how many media of other machines: those that do not answer keep nobody from looking into a file.
    static let capacity = 4
    /// Seconds that one may take.
    static let patience = 20.0

    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let files = Atomic<Int>(0)
    private let others = Atomic<Int>(0)

    init(player: any RemotePlayer, clock: any HostClock, scheduler: any MainScheduler) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
    }

    func inspect(_ source: MediaSource) async throws(Problem) -> AssetReport {
        let interrupt = AssetInterrupt()
        switch try await look(into: source, interrupt, { await self.player.inspect(source, interrupt: interrupt) }) {
        case .success(let report): return report
        case .failure where interrupt.isRaised:
            throw Problem(PlayerState.Failure(code: "timedOut", message: "The medium does not tell what it is."))
        case .failure(let failure): throw Problem(failure)
        }
    }

    /// The picture of an item whose medium is `source`, read from there; nil where there is none.
    func artwork(itemID: String, _ source: MediaSource) async throws(Problem) -> Artwork? {
        let interrupt = AssetInterrupt()
        return try await look(into: source, interrupt) { await self.player.readArtwork(itemID: itemID, interrupt: interrupt) }
    }

    /// Gives `look` its place and its time. The timer is the main actor's; the look itself is not.
    @MainActor private func look<Result: Sendable>(
        into source: MediaSource, _ interrupt: AssetInterrupt, _ look: @Sendable () async -> Result
    ) async throws(Problem) -> Result {
        try takePlace(for: source)
        defer { giveBack(source) }
        let timer = scheduler.schedule(at: clock.now + Self.patience) { interrupt.raise() }
        defer { timer.cancel() }
        return await look()
    }

    private func takePlace(for source: MediaSource) throws(Problem) {
        guard count(1, source) > Self.capacity else { return }
        giveBack(source)
        var problem = Problem(.tooManyRequests, "Too many media are being looked into.")
        problem.retryAfter = 1
        throw problem
    }

    private func giveBack(_ source: MediaSource) { _ = count(-1, source) }

    private func count(_ change: Int, _ source: MediaSource) -> Int {
        switch source.location {
        case .file: files.add(change, ordering: .relaxed).newValue
        case .remote: others.add(change, ordering: .relaxed).newValue
        }
    }
}
