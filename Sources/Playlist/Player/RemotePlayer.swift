public import Platform
public import PlaybackEngine

/// The player as the remote control uses it. `PlaylistPlayer` implements `RemotePlayer`. Tests of routes and events use another implementation of
/// `RemotePlayer`, without an engine.
@MainActor public protocol RemotePlayer: AnyObject, Sendable {
    /// The current state of the player.
    var state: PlayerState { get }
    /// Returns a part of the current playlist, with the known properties of each entry.
    func queue(_ page: QueuePage) -> PlayerQueue
    /// Calls the function `body` on the main actor for each event and each change of the state, in order. Observers are called in the order in which
    /// they were added.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken
    /// Calls the function `body` once, in a later turn of the main actor. The observers have then received all changes of the present turn: first the
    /// events, then the state.
    func afterPublishing(_ body: @escaping @MainActor () -> Void)

    /// Performs a command for the client named `origin`. For a seek, `perform` returns after the seek has reached its position, has failed, or was
    /// superseded.
    func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply

    /// Waits until the status of an item is no longer `unknown`, or until the item is no longer current. Returns the item; nil if the item was
    /// removed from the playlist.
    func waitUntilLoaded(itemID: String) async -> PlayerState.Item?

    /// Calls the function `body` every `interval` seconds of media time, after jumps of the position, and when playback starts or stops (a periodic
    /// time observer, R-PTO-01, R-PTO-02).
    func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    /// The state of the audio session.
    var audioSession: AudioSessionState { get }
    /// How the sample rate of each output is chosen.
    var outputRates: OutputRates { get }
    /// The player's counters since the start of the program.
    var statistics: PlayerStatistics { get }
    /// Returns the details of an item; nil if the playlist has no entry with this id.
    func details(itemID: String) -> ItemDetails?
    /// Moves playback to the first output in `outputs` that can be opened, at the same position. The player's state contains the output that was
    /// opened.
    func moveSound(to outputs: [any OutputProvider], origin: String) throws(PlayerRefusal)
    /// Inspects a medium without playing it. The inspection returns after the medium was read or has failed, or after `interrupt` was raised. `slot`
    /// (a permit for an opening) is held until the thread that opens the medium has ended, also if `interrupt` was raised.
    nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure>
    /// The opener with which the player opens media.
    nonisolated var opener: any MediaOpener { get }
    /// Calls the function `body` when playback crosses one of `times`, in seconds of media time. The array `times` must not be empty (a boundary time
    /// observer, R-BTO-01).
    func observeBoundaries(at times: [Double], _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    /// The buffer of the current item; nil if no item is current.
    var buffer: BufferState? { get }
    /// Calls the function `body` after each possible change of a property of `buffer`.
    func observeBuffer(_ body: @escaping @MainActor () -> Void) -> ObservationToken

    /// Returns the position of the current item that is heard now. Any thread may call `currentTime`.
    nonisolated func currentTime() -> PlayerTime
    /// Returns the artwork of an item from the cache; nil if the cache does not contain the artwork. Any thread may call `artwork`.
    nonisolated func artwork(itemID: String) -> Artwork?
    /// Reads the artwork of an item from its medium again, because the cache is limited, or from the URL that a feed gives. Returns nil if the item
    /// was removed, if it has no picture, or if the picture cannot be read. If `interrupt` is raised, the reading of the artwork returns early, and
    /// `slot` (a permit for an opening) is held until the thread that opens the medium has ended.
    func readArtwork(itemID: String, interrupt: AssetInterrupt, slot: SlotPool.Slot) async -> Artwork?
}

extension RemotePlayer {
    /// The current playlist, with the known properties of each entry.
    public var queue: PlayerQueue { queue(.whole) }
}
