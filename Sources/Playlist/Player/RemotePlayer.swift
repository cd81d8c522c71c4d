public import Platform
public import PlaybackEngine

/// The player as the remote control sees it. `PlaylistPlayer` is the real one; it is a protocol so that routes and events are tested without an engine.
@MainActor public protocol RemotePlayer: AnyObject, Sendable {
    /// The state now.
    var state: PlayerState { get }
    /// The playlist now, with what is known of each entry.
    var queue: PlayerQueue { get }
    /// Calls `body` on the main actor for each event and each change of the state, in order. Several observers are called in the order in which they
    /// began.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken
    /// Calls `body` once, in a later turn of the main actor, after the observers have received all changes of this turn: the events, then the state.
    func afterPublishing(_ body: @escaping @MainActor () -> Void)

    /// Carries out a command for the client named `origin`. A seek returns when it has landed.
    func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply

    /// Returns when the item `id` is no longer `unknown`, or no longer current, with the item then; nil where it is gone.
    func waitUntilLoaded(itemID: String) async -> PlayerState.Item?

    /// Calls `body` every `interval` seconds of media time, on jumps, at start and at stop (a periodic time observer, R-PTO-01, R-PTO-02).
    func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    /// The audio session now.
    var audioSession: AudioSessionState { get }
    /// What has been counted since the start.
    var statistics: PlayerStatistics { get }
    /// All that is known of an item; nil where the playlist has none of that id.
    func details(itemID: String) -> ItemDetails?
    /// Moves to the first of these outputs that opens, keeping the position; where it went is told by the state.
    func moveSound(to outputs: [any OutputProvider], origin: String) throws(PlayerRefusal)
    /// Looks into a medium without playing it. Returns when it is known, has failed, or `interrupt` was raised; then `slot` is held for as long as the
    /// thread that opens the medium goes on.
    nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure>
    /// What opens media.
    nonisolated var opener: any MediaOpener { get }
    /// Calls `body` when playback crosses one of `times`, seconds of media time, of which there is at least one (a boundary time observer, R-BTO-01).
    func observeBoundaries(at times: [Double], _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    /// What the current item has at hand; nil where there is none.
    var buffer: BufferState? { get }
    /// Calls `body` whenever `buffer` may have changed, several times where several things of it did.
    func observeBuffer(_ body: @escaping @MainActor () -> Void) -> ObservationToken

    /// What is heard now. Callable from any thread.
    nonisolated func currentTime() -> PlayerTime
    /// The artwork of an item, by its id, where it is at hand. Callable from any thread.
    nonisolated func artwork(itemID: String) -> Artwork?
    /// The artwork of an item, read from its medium once more: only some pictures are kept. Nil where the item is gone, or its medium has no picture any
    /// more. Returns also when `interrupt` was raised; then `slot` is held for as long as the thread that opens the medium goes on.
    func readArtwork(itemID: String, interrupt: AssetInterrupt, slot: SlotPool.Slot) async -> Artwork?
}
