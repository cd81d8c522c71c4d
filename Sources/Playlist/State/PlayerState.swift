public import PlaybackEngine

/// Everything that a remote needs to know of the player, as one value. Derived afresh after each change on the main actor; the remote control
/// adds the epoch and the revision. Times are seconds.
public struct PlayerState: Sendable, Hashable {
    /// Where the ear was at one moment and how fast it moves: `time + (now − hostTime) · rate` is the position for ever, until the next
    /// discontinuity (play, pause, rate, seek, stall, item). `rate` is 0 while nothing moves.
    public struct Anchor: Sendable, Hashable {
        public var time: Double
        /// Seconds of the server's monotonic clock.
        public var hostTime: Double
        public var rate: Double
        public init(time: Double, hostTime: Double, rate: Double) { self.time = time; self.hostTime = hostTime; self.rate = rate }
    }
    public struct Output: Sendable, Hashable {
        public var kind: OutputKind
        public var id: String
        public var name: String
        /// The error of the last output, if it was lost and no audible one replaced it, or if no output could be opened.
        public var error: Failure?
        public init(kind: OutputKind, id: String, name: String, error: Failure? = nil) {
            self.kind = kind; self.id = id; self.name = name; self.error = error
        }
    }
    public struct Session: Sendable, Hashable {
        public var category: AudioSessionState.Category
        public var isActive: Bool
        public var isInterrupted: Bool
        public init(category: AudioSessionState.Category, isActive: Bool, isInterrupted: Bool) {
            self.category = category; self.isActive = isActive; self.isInterrupted = isInterrupted
        }
    }
    public struct Change: Sendable, Hashable {
        public var reason: Reason
        /// Who: the client's name, or `player`.
        public var origin: String
        public init(reason: Reason, origin: String) { self.reason = reason; self.origin = origin }
    }
    public struct PlaylistSummary: Sendable, Hashable {
        public var revision: Int
        public var count: Int
        /// The current entry's index, −1 where there is none.
        public var index: Int
        public init(revision: Int, count: Int, index: Int) { self.revision = revision; self.count = count; self.index = index }
    }
    public struct Failure: Sendable, Hashable {
        /// A stable code, such as `fileNotFound`.
        public var code: String
        /// A sentence for a person.
        public var message: String
        public init(code: String, message: String) { self.code = code; self.message = message }
    }
    public struct Format: Sendable, Hashable {
        public var container: String
        public var codec: String
        public var sampleRate: Int
        public var channels: Int
        public var bitsPerSample: Int?
        public var bitRate: Int?
        public init(container: String, codec: String, sampleRate: Int, channels: Int, bitsPerSample: Int?, bitRate: Int?) {
            self.container = container; self.codec = codec; self.sampleRate = sampleRate; self.channels = channels
            self.bitsPerSample = bitsPerSample; self.bitRate = bitRate
        }
    }
    public struct Item: Sendable, Hashable {
        /// The longest title, artist or album, bytes of UTF-8; a medium's own are cut off there.
        public static let maximumTextLength = 1 << 10

        /// The playlist entry's stable id.
        public var id: String
        public var url: String
        public var status: Status
        public var error: Failure?
        public var title: String?
        public var artist: String?
        public var album: String?
        /// Seconds; absent while unknown, or where it has no end.
        public var duration: Double?
        public var isLive: Bool
        public var isSeekable: Bool
        public var hasArtwork: Bool
        public var format: Format?
        public init(
            id: String, url: String, status: Status = .unknown, error: Failure? = nil, title: String? = nil, artist: String? = nil,
            album: String? = nil,
            duration: Double? = nil, isLive: Bool = false, isSeekable: Bool = false, hasArtwork: Bool = false, format: Format? = nil
        ) {
            self.id = id; self.url = url; self.status = status; self.error = error; self.title = title; self.artist = artist; self.album = album
            self.duration = duration; self.isLive = isLive; self.isSeekable = isSeekable; self.hasArtwork = hasArtwork; self.format = format
        }
    }

    public struct SleepTimer: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable, CaseIterable { case off, time, endOfItem }

        public var kind: Kind
        /// When it pauses, seconds of the server's monotonic clock; only with `time`.
        public var hostTime: Double?
        public init(kind: Kind = .off, hostTime: Double? = nil) { self.kind = kind; self.hostTime = hostTime }
    }

    /// The player's own status. It does not mirror the item's (R-PSTAT-01).
    public var status = Status.unknown
    /// The requested rate; 0 is paused.
    public var rate = 0.0
    public var defaultRate = 1.0
    public var timeControlStatus = TimeControlStatus.paused
    public var reasonForWaitingToPlay = WaitingReason.none
    /// The last entry has been heard to its end; `play` starts it again.
    public var ended = false
    public var anchor = Anchor(time: 0, hostTime: 0, rate: 0)
    public var volume = 1.0
    public var isMuted = false
    public var automaticallyWaitsToMinimizeStalling = true
    public var actionAtItemEnd = ActionAtItemEnd.advance
    public var audioTimePitchAlgorithm = PitchAlgorithm.timeDomain
    public var repeatMode = PlaylistMachine.RepeatMode.off
    public var isShuffled = false
    /// Seconds for which items overlap, in `CrossfadeDuration.range`.
    public var crossfadeDuration = 0.0
    public var loudnessNormalization = LoudnessMode.off
    public var sleepTimer = SleepTimer()
    public var output = Output(kind: .none, id: "", name: "")
    public var session = Session(category: .playback, isActive: false, isInterrupted: false)
    public var lastChange = Change(reason: .none, origin: "player")
    public var playlist = PlaylistSummary(revision: 0, count: 0, index: -1)
    public var currentItem: Item?

    public init() {}
}
