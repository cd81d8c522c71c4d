public import Platform
public import PlaybackEngine

/// The player as the remote control uses it: `PlaylistPlayer`, or another one without an engine in tests.
@MainActor public protocol RemotePlayer: AnyObject, Sendable {
    var state: PlayerState { get }
    /// With the known properties of each entry.
    func queue(_ page: QueuePage) -> PlayerQueue
    /// Rises with each change of what `queue` returns, also of the current entry, of titles, durations, pictures and failures.
    var queueEdition: Int { get }
    /// On the main actor, in order, also of the observers.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken
    /// Once, in a later turn, when observers have received all changes of this turn: first the events, then the state.
    func afterPublishing(_ body: @escaping @MainActor () -> Void)

    /// For a seek, returns after it has landed, failed or was superseded.
    func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply

    /// Also if the item is no longer current; nil if it was removed.
    func waitUntilLoaded(itemID: String) async -> PlayerState.Item?

    /// Every `interval` seconds of media time, after jumps, starts and stops (R-PTO-01, R-PTO-02).
    func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    var audioSession: AudioSessionState { get }
    var outputRates: OutputRates { get }
    var statistics: PlayerStatistics { get }
    /// Nil if the playlist has no such entry.
    func details(itemID: String) -> ItemDetails?
    /// The first that opens, at the same position; the state contains it.
    func moveSound(to outputs: [any OutputProvider], origin: String) throws(PlayerRefusal)
    /// Returns after the medium was read or has failed, or `interrupt` was raised; `slot` is held until the thread that opens it has ended.
    nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure>
    nonisolated var opener: any MediaOpener { get }
    /// When playback crosses one of `times`, in seconds of media time, not empty (R-BTO-01).
    func observeBoundaries(at times: [Double], _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken

    /// Nil if no item is current.
    var buffer: BufferState? { get }
    /// After each possible change.
    func observeBuffer(_ body: @escaping @MainActor () -> Void) -> ObservationToken

    /// Heard now. Any thread.
    nonisolated func currentTime() -> PlayerTime
    /// From the cache. Any thread.
    nonisolated func artwork(itemID: String) -> Artwork?
    /// From the medium, or from the URL of a feed; nil if there is none. A raised `interrupt` returns early; `slot` is held until the thread that
    /// opens the medium has ended.
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
