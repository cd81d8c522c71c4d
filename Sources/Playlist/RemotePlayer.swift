public import PlaybackEngine

/// What a remote can ask of the player. REST and WebSocket decode to these; `PlaylistPlayer.perform` is the one place where each is understood.
public enum PlayerCommand: Sendable, Hashable {
    /// Plays at the given rate, or at `defaultRate`. At the end of the last entry it starts that again.
    case play(rate: Double?)
    case pause
    case toggle
    case seek(SeekCommand)
    /// A playlist of this one entry.
    case setItem(EntrySpec, play: Bool?, startTime: Double?)
    /// A playlist of these entries, the first one that may be playable current.
    case setQueue([EntrySpec], play: Bool?)
    /// Entries behind the entry `after`, or at the end. `play`: the first of them is current and plays.
    case insert([EntrySpec], after: String?, play: Bool)
    case removeEntry(String)
    /// To an index of the list as it is afterwards; one beyond its end is the end.
    case moveEntry(String, to: Int)
    /// Makes an entry current and plays.
    case playEntry(String)
    /// The next entry, or the one before; the requested rate stays.
    case next, previous
    /// An empty playlist.
    case clear
    case update(PlayerUpdate)
    case updateSession(AudioSessionUpdate)
    case setSleepTimer(SleepTimerSetting)
}

/// An entry to be put into the playlist. The URL has been checked against the media roots and schemes; `display` is what the remote gave.
public struct EntrySpec: Sendable, Hashable {
    public var source: MediaSource
    /// The URL as it is shown to remotes.
    public var url: String
    public var title: String?
    /// Why it cannot be played, where that is known before anybody has tried: it is passed over until somebody asks for it.
    public var failure: PlayerState.Failure?
    public init(source: MediaSource, url: String, title: String? = nil, failure: PlayerState.Failure? = nil) {
        self.source = source; self.url = url; self.title = title; self.failure = failure
    }

    /// How many bytes of text it holds.
    var textSize: Int {
        let place =
            switch source.location {
            case .file(let path): path.utf8.count
            case .remote(let url): url.utf8.count
            }
        return place + url.utf8.count + (title?.utf8.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }
}

/// Where to seek, and how exactly. Seconds; all numbers are finite.
public struct SeekCommand: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        case time(Double)
        /// From the position heard now.
        case offset(Double)
        /// 0…1 of the duration.
        case fraction(Double)
        /// Seconds since 1970, for live streams with a date mapping.
        case date(Double)
        case exactTime(value: Int64, timescale: Int32)
    }
    public enum Tolerance: Sendable, Hashable {
        case exact
        case any
        case range(before: Double, after: Double)
    }
    public var target: Target
    public var tolerance: Tolerance
    public init(target: Target, tolerance: Tolerance = .exact) { self.target = target; self.tolerance = tolerance }
}

/// A partial change of the player's settings; nil leaves a setting alone. Values are in range: the remote control refuses others.
public struct PlayerUpdate: Sendable, Hashable {
    public var rate: Double?
    public var defaultRate: Double?
    public var volume: Double?
    public var isMuted: Bool?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var audioTimePitchAlgorithm: String?
    public var repeatMode: String?
    public var isShuffled: Bool?
    /// Makes the order of a shuffle repeatable; shuffles anew where it is shuffled already.
    public var shuffleSeed: UInt64?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: String?
    public var actionAtItemEnd: String?
    public init() {}
}

/// What a command gave.
public enum PlayerReply: Sendable, Hashable {
    /// Done; the state after it is `RemotePlayer.state`.
    case done
    /// A seek ended: where it landed, where it was wanted, and whether it was the newest (`finished` false: a newer one superseded it).
    case seek(finished: Bool, time: Double, requested: Double)
    /// An entry is current; its item is in `RemotePlayer.state.currentItem`.
    case item(id: String)
    /// Entries are in the playlist.
    case entries(ids: [String])
}

/// Why a command was refused. Nothing has changed then.
public enum PlayerRefusal: Error, Sendable, Hashable {
    /// There is no current item.
    case noItem
    /// The item is not ready, and what was asked needs its duration.
    case notReady
    /// The item cannot be sought, or has no dates.
    case notSeekable
    /// The target lies outside what can be sought: 0…`end` seconds.
    case outOfRange(end: Double)
    /// The item failed and cannot do this any more.
    case itemFailed(PlayerState.Failure)
    /// The item cannot be played backwards.
    case rateNotPlayable
    /// The playlist has no such entry.
    case noEntry
    /// Nothing follows the current entry, or nothing is before it.
    case noNextEntry, noPreviousEntry
    /// The playlist would have more than `maximum` entries.
    case tooManyEntries(maximum: Int)
    /// The text of the playlist's entries would have more than `maximum` bytes.
    case queueTooLarge(maximum: Int)
    /// The category, the mode and the options of the audio session do not go together, or it may not be active; a sentence says which.
    case sessionRefused(String)
}

/// What happened, for the event stream. A change of the state is another notice (`PlayerNotice.state`).
public enum PlayerEvent: Sendable, Hashable {
    /// Exactly one for each change of the requested rate. `reason`: `setRateCalled`, `setRateFailed`, `audioSessionInterrupted`, `appBackgrounded`, `none`.
    case rateDidChange(rate: Double, reason: String, origin: String)
    case timeJumped(itemID: String, time: Double)
    case didPlayToEndTime(itemID: String)
    case failedToPlayToEndTime(itemID: String, PlayerState.Failure)
    case playbackStalled(itemID: String)
    /// The playlist, what is current or next in it, or what is known of an entry.
    case queueDidChange(QueueSummary)
    /// What an entry's medium says of itself is known, or is otherwise than before: of the current entry, or of one that is opened ahead.
    case metadataDidChange(PlayerState.Item)
    /// The audio session was interrupted, or is no longer; the change of the rate that it brought has been told by then (R-RDC-05).
    case interruption(AudioSessionState.Interruption)
    case routeDidChange(AudioSessionState.RouteChange)
}

/// What has been counted since the start, and how things stand now.
public struct PlayerStatistics: Sendable, Hashable {
    /// How often a device had nothing to play although it should have had.
    public var underruns = 0
    /// How often playback had to wait for data.
    public var stalls = 0
    /// Corrupt packets that were replaced by silence.
    public var skippedPackets = 0
    /// Items that could not be opened, or could not go on.
    public var failedItems = 0
    /// Seconds of the current item that are decoded and not yet heard; nil where that is not known.
    public var bufferSeconds: Double?
    public init() {}
}

/// What is heard right now, computed from the device's clock without visiting the main actor.
public struct PlayerTime: Sendable, Hashable {
    /// Seconds of media time.
    public var currentTime: Double
    /// Media seconds a second, 0 while nothing moves.
    public var rate: Double
    /// Seconds of the server's monotonic clock at which it holds.
    public var hostTime: Double
    public init(currentTime: Double, rate: Double, hostTime: Double) { self.currentTime = currentTime; self.rate = rate; self.hostTime = hostTime }
}

/// The player as the remote control sees it. `PlaylistPlayer` is the real one; it is a protocol so that routes and events are tested without an engine.
@MainActor public protocol RemotePlayer: AnyObject, Sendable {
    /// The state now.
    var state: PlayerState { get }
    /// The playlist now, with what is known of each entry.
    var queue: PlayerQueue { get }
    /// Calls `body` on the main actor for each event and each change of the state, in order. Several observers are called in the order in which they
    /// began.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken

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
    /// Looks into a medium without playing it. Returns when it is known, has failed, or `interrupt` was raised; then `place` is held for as long as the
    /// thread that opens the medium goes on.
    nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, place: PlacePool.Place
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
    /// more. Returns also when `interrupt` was raised; then `place` is held for as long as the thread that opens the medium goes on.
    func readArtwork(itemID: String, interrupt: AssetInterrupt, place: PlacePool.Place) async -> Artwork?
}
