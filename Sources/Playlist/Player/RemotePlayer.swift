public import Platform
public import PlaybackEngine

/// The player as the remote control uses it. `PlaylistPlayer` implements it; tests of routes and events replace it, and need no engine.
@MainActor public protocol RemotePlayer: AnyObject, Sendable {
    /// The current state.
    var state: PlayerState { get }
    /// The current playlist, with the known properties of each entry.
    var queue: PlayerQueue { get }
    /// Calls `body` on the main actor for each event and each change of the state, in order. Observers are called in the order in which they
    /// were added.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken
    /// Calls `body` once, in a later turn of the main actor, after the observers have received all changes of this turn: the events, then the state.
    func afterPublishing(_ body: @escaping @MainActor () -> Void)

    /// Performs a command for the client named `origin`. A seek returns after it has landed.
    func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply

    /// Waits until an item is no longer `unknown` or no longer current, and returns it; nil if it was removed.
    func waitUntilLoaded(itemID: String) async -> PlayerState.Item?

    /// Calls `body` every `interval` seconds of media time, after jumps, and when playback starts or stops (a periodic time observer, R-PTO-01,
    /// R-PTO-02).
    func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    /// The current audio session.
    var audioSession: AudioSessionState { get }
    /// The counters since the start.
    var statistics: PlayerStatistics { get }
    /// Returns the details of an item; nil if the playlist has no entry with this id.
    func details(itemID: String) -> ItemDetails?
    /// Moves playback to the first of these outputs that can be opened, at the same position. The state contains the output that was opened.
    func moveSound(to outputs: [any OutputProvider], origin: String) throws(PlayerRefusal)
    /// Inspects a medium without playing it. Returns after the medium was read or has failed, or after `interrupt` was raised. In that case `slot`
    /// is held until the thread that opens the medium has ended.
    nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure>
    /// The opener of media.
    nonisolated var opener: any MediaOpener { get }
    /// Calls `body` when playback crosses one of `times`, in seconds of media time. `times` must not be empty (a boundary time observer, R-BTO-01).
    func observeBoundaries(at times: [Double], _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    /// The buffer of the current item; nil if no item is current.
    var buffer: BufferState? { get }
    /// Calls `body` after each possible change of a member of `buffer`.
    func observeBuffer(_ body: @escaping @MainActor () -> Void) -> ObservationToken

    /// Returns the position that is heard now. Any thread.
    nonisolated func currentTime() -> PlayerTime
    /// Returns the artwork of an item, if it is in the cache. Any thread.
    nonisolated func artwork(itemID: String) -> Artwork?
    /// Reads the artwork of an item from its medium again, because the cache is limited. Returns nil if the item was removed, or if its medium has no
    /// picture. Returns after `interrupt` was raised too. In that case `slot` is held until the thread that opens the medium has ended.
    func readArtwork(itemID: String, interrupt: AssetInterrupt, slot: SlotPool.Slot) async -> Artwork?
}
