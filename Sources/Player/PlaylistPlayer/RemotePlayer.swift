public import Platform
public import PlaybackEngine

/// The player as the remote control uses it: `PlaylistPlayer`, or another one without an engine in tests.
@MainActor public protocol RemotePlayer: AnyObject, Sendable {
    var state: PlayerState { get }
    /// The queue, with the known properties of each entry.
    func queue(_ page: QueuePage) -> PlayerQueue
    /// A number that rises with each change of what `queue` returns, also of the current entry, of titles, durations, pictures and failures.
    var queueEdition: Int { get }
    /// Calls `body` on the main actor with each notice, in order; several observers are called in their order.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken
    /// Calls `body` once, in a later job of the main actor, when observers have received all changes of this job: first the events, then the state.
    func afterPublishing(_ body: @escaping @MainActor () -> Void)

    /// Performs a command. For a seek, returns after the seek has reached its position, has failed, or was replaced by a newer one.
    func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply

    /// Waits until the item is loaded, has failed, or is no longer current; nil if it was removed.
    func waitUntilLoaded(itemID: String) async -> PlayerState.Item?

    /// Calls `body` every `interval` seconds of media time, and after jumps, starts and stops (R-PTO-01, R-PTO-02).
    func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    var outputRates: OutputRates { get }
    var statistics: PlayerStatistics { get }
    /// The details of an item; nil if the playlist has no such entry.
    func details(itemID: String) -> ItemDetails?
    /// Moves playback to an output, at the same position; the state contains the output when it is open. If it cannot be opened while another one is
    /// open, that one continues.
    func moveSound(to output: OutputWish, origin: String) throws(PlayerRefusal)
    /// Inspects a medium. Returns after it was read or has failed, or `interrupt` was raised; `slot` is taken until the thread that
    /// opens it has ended.
    nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure>
    nonisolated var opener: any MediaOpener { get }

    /// The buffer of the current item; nil if no item is current.
    var buffer: BufferState? { get }
    /// Calls `body` after each possible change of `buffer`.
    func observeBuffer(_ body: @escaping @MainActor () -> Void) -> ObservationToken

    /// The position that is heard now. Any thread may call it.
    nonisolated func currentTime() -> PlayerTime
    /// The picture of an item, if it is in the cache; otherwise nil. Any thread may call it.
    nonisolated func artwork(itemID: String) -> Artwork?
    /// The picture from the medium, or from the URL of a feed; nil if there is none. A raised `interrupt` returns early; `slot` is taken until the
    /// thread that opens the medium has ended.
    func readArtwork(itemID: String, interrupt: AssetInterrupt, slot: SlotPool.Slot) async -> Artwork?
}

extension RemotePlayer {
    public var queue: PlayerQueue { queue(.whole) }
}

/// The player's counters since the start of the program, and the duration of the buffered audio.
public struct PlayerStatistics: Sendable, Hashable {
    /// The number of underruns: the device needed frames that had not been rendered.
    public var underruns = 0
    /// The number of stalls, in which playback waited for media data.
    public var stalls = 0
    /// The number of corrupt packets that were replaced by silence.
    public var skippedPackets = 0
    /// The number of rendered frames with a sample over full scale after the volume was applied. A device with integer samples clips such samples.
    /// Frames that were rendered again, after a seek for example, count again.
    public var clippedFrames = 0
    /// The number of items that could not be opened, or whose playback failed.
    public var failedItems = 0
    /// The duration of the current item's audio that is decoded and not heard yet, in seconds; nil if this duration is unknown.
    public var bufferSeconds: Double?
    public init() {}
}

/// The position that is heard at a host time. Any thread can compute it, from the device's clock.
public struct PlayerTime: Sendable, Hashable {
    /// The heard position in media time, in seconds.
    public var currentTime: Double
    /// The rate of playback; 0 while playback does not run.
    public var rate: Double
    /// The time on the server's monotonic clock at which the position is heard, in seconds.
    public var hostTime: Double
    /// Whether the position belongs to the state that was published last; otherwise it belongs to the state that is published next.
    public var isPublished: Bool
    public init(currentTime: Double, rate: Double, hostTime: Double, isPublished: Bool = true) {
        self.currentTime = currentTime
        self.rate = rate
        self.hostTime = hostTime
        self.isPublished = isPublished
    }
}
