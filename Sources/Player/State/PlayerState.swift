public import AVFoundation
public import PlaybackEngine

/// The state of the player for remotes, as one value. The player's state is derived again after each change on the main actor. The remote control
/// adds the epoch and the revision to the state. All times in the state are in seconds.
public struct PlayerState: Sendable, Hashable {
    /// The position of the playhead at a host time, and its rate. `time + (now − hostTime) · rate` is the position until the next discontinuity
    /// (play, pause, rate, seek, stall, item). The anchor's rate is 0 while playback does not run.
    public struct Anchor: Sendable, Hashable {
        public var time: Double
        /// The host time of the anchor, on the server's monotonic clock, in seconds.
        public var hostTime: Double
        public var rate: Double
        public init(time: Double, hostTime: Double, rate: Double) { self.time = time; self.hostTime = hostTime; self.rate = rate }
    }
    public struct Output: Sendable, Hashable {
        public var kind: OutputKind
        public var id: String
        public var name: String
        /// The error with which the last output was lost, or with which it could not be opened. Nil if an output has been opened since.
        public var error: Failure?
        public init(kind: OutputKind, id: String, name: String, error: Failure? = nil) {
            self.kind = kind; self.id = id; self.name = name; self.error = error
        }
    }
    public struct AudioSessionSummary: Sendable, Hashable {
        public var category: AVAudioSession.Category
        public var isActive: Bool
        public var isInterrupted: Bool
        /// Why nobody can hear the player; nil if it can be heard.
        public var silence: SilenceReason?
        public init(category: AVAudioSession.Category, isActive: Bool, isInterrupted: Bool, silence: SilenceReason? = nil) {
            self.category = category; self.isActive = isActive; self.isInterrupted = isInterrupted; self.silence = silence
        }
    }
    public struct Change: Sendable, Hashable {
        public var reason: Reason
        /// The name of the client that caused the change of the state, or `player`.
        public var origin: String
        public init(reason: Reason, origin: String) { self.reason = reason; self.origin = origin }
    }
    public struct QueuePosition: Sendable, Hashable {
        public var revision: Int
        public var count: Int
        /// The current entry's index; −1 if no entry is current.
        public var index: Int
        public init(revision: Int, count: Int, index: Int) { self.revision = revision; self.count = count; self.index = index }
    }
    public struct Failure: Sendable, Hashable {
        /// The stable code of the failure, such as `fileNotFound`. openapi.yaml lists the codes (`FailureCode`).
        public var code: PlaybackError.Code
        /// The description of the failure for users, as one sentence.
        public var message: String
        /// The finer kind of the failure of a remote medium, if it is known. openapi.yaml lists the reasons (`FailureReason`).
        public var reason: PlaybackError.Reason?
        public init(code: PlaybackError.Code, message: String, reason: PlaybackError.Reason? = nil) {
            self.code = code
            self.message = message
            self.reason = reason
        }
    }
    public struct Format: Sendable, Hashable {
        public var fileType: String
        public var codec: String
        public var sampleRate: Int
        public var channels: Int
        public var bitsPerSample: Int?
        public var bitRate: Int?
        public init(fileType: String, codec: String, sampleRate: Int, channels: Int, bitsPerSample: Int?, bitRate: Int?) {
            self.fileType = fileType; self.codec = codec; self.sampleRate = sampleRate; self.channels = channels
            self.bitsPerSample = bitsPerSample; self.bitRate = bitRate
        }
    }
    public struct Item: Sendable, Hashable {
        /// The maximum size of a title, artist, album or genre in the state, and of a list of values, in bytes of UTF-8. Longer tags of a medium are
        /// cut, and values that do not fit into a list are left out.
        public static let maximumTextLength = 1 << 10

        /// The stable id of the queue's entry.
        public var id: String
        public var url: String
        public var status: AVPlayerItem.Status
        public var error: Failure?
        public var title: String?
        /// The values of `artists`, separated by commas.
        public var artist: String?
        /// The artists if there are several; otherwise empty.
        public var artists: [String] = []
        public var album: String?
        /// The values of `genres`, separated by commas.
        public var genre: String?
        /// The genres if there are several; otherwise empty.
        public var genres: [String] = []
        /// The title that a radio station announces for the audio that is heard now, as the station writes it; nil if it announces none.
        public var streamTitle: String?
        /// The name of the radio station; nil if the medium is no radio station, or if the station states no name.
        public var stationName: String?
        /// The duration of the item in seconds; nil if the duration is unknown, or if the item has no end. Before the item was opened, this is the
        /// duration that a playlist or feed gives.
        public var duration: Double?
        public var isLive: Bool
        public var isSeekable: Bool
        public var hasArtwork: Bool
        public var format: Format?
        /// The position at which the entry starts each time it is played, in seconds of media time; nil if no client has set one.
        public var startTime: Double?
        /// The name of the client that has added the entry; nil if it is unknown.
        public var addedBy: String?
        /// The date of publication that a feed gives, in seconds since 1970; nil if none gives one.
        public var publicationDate: Double?
        /// The URL of the picture that a feed gives, if the medium itself has no picture; otherwise nil. Clients do not see this URL.
        public var picture: String?
        public init(
            id: String, url: String, status: AVPlayerItem.Status = .unknown, error: Failure? = nil, title: String? = nil, artist: String? = nil,
            album: String? = nil, duration: Double? = nil, isLive: Bool = false, isSeekable: Bool = false, hasArtwork: Bool = false,
            format: Format? = nil, startTime: Double? = nil, addedBy: String? = nil
        ) {
            self.id = id; self.url = url; self.status = status; self.error = error; self.title = title; self.artist = artist; self.album = album
            self.startTime = startTime; self.addedBy = addedBy
            self.duration = duration; self.isLive = isLive; self.isSeekable = isSeekable; self.hasArtwork = hasArtwork; self.format = format
        }
    }

    /// The entry that the command `next` makes current, in short.
    public struct NextEntry: Sendable, Hashable {
        public var id: String
        public var url: String
        public var title: String?
        public var artist: String?
        /// The duration in seconds; nil if the duration is unknown, or if the item has no end.
        public var duration: Double?
        public init(id: String, url: String, title: String? = nil, artist: String? = nil, duration: Double? = nil) {
            self.id = id; self.url = url; self.title = title; self.artist = artist; self.duration = duration
        }
    }

    public struct SleepTimer: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable, CaseIterable { case off, time, endOfItem, endOfChapter, items }

        public var kind: Kind
        /// The time on the server's monotonic clock at which the sleep timer pauses playback, in seconds; nil if the timer pauses at the end of an
        /// item or chapter, or is off.
        public var hostTime: Double?
        /// The number of items that still have to end, including the current one; nil if the timer does not count items.
        public var remainingItems: Int?
        public init(kind: Kind = .off, hostTime: Double? = nil, remainingItems: Int? = nil) {
            (self.kind, self.hostTime, self.remainingItems) = (kind, hostTime, remainingItems)
        }
    }

    /// Whether the player's state is saved for the next run of the program.
    public struct Persistence: Sendable, Hashable {
        /// Whether all changes so far are saved, or are being written.
        public var isKept: Bool
        /// The reason why the state is not saved; nil if the state is saved, or if the program was started without saving.
        public var error: PersistenceFailure?
        public init(isKept: Bool = false, error: PersistenceFailure? = nil) { self.isKept = isKept; self.error = error }
    }

    /// The cause of the present pause, which the state contains while the player is paused.
    public struct Pause: Sendable, Hashable {
        public var reason: Reason
        /// The name of the client that paused playback, or `player`.
        public var origin: String
        /// The time of the pause on the server's monotonic clock, in seconds.
        public var hostTime: Double
        /// Why nobody could hear the player when it paused; nil if it could be heard.
        public var silence: SilenceReason?
        public init(reason: Reason, origin: String, hostTime: Double, silence: SilenceReason? = nil) {
            self.reason = reason; self.origin = origin; self.hostTime = hostTime; self.silence = silence
        }
    }

    /// A start of playback that is scheduled for a later moment.
    public struct ScheduledStart: Sendable, Hashable {
        /// The time of the start on the server's monotonic clock, in seconds.
        public var hostTime: Double
        /// The date of the start, in seconds since 1970-01-01 00:00 UTC; nil if the client gave a host time.
        public var date: Double?
        public init(hostTime: Double, date: Double? = nil) { self.hostTime = hostTime; self.date = date }
    }

    /// A fade: a linear change of the audible volume. The volume that clients have set, and the mute, do not change.
    public struct Fade: Sendable, Hashable {
        /// The purpose of the fade: a new volume, a pause at the end of the fade, or the start of playback.
        public enum Kind: String, Sendable, Hashable, CaseIterable { case volume, pause, play }

        public var kind: Kind
        /// The audible volume at the start and at the end of the fade.
        public var from: Double, to: Double
        public var seconds: Double
        /// The start of the fade on the server's monotonic clock, in seconds; nil if the fade waits for the start of playback.
        public var hostTime: Double?
        public init(kind: Kind, from: Double, to: Double, seconds: Double, hostTime: Double? = nil) {
            self.kind = kind; self.from = from; self.to = to; self.seconds = seconds; self.hostTime = hostTime
        }

        /// Returns the audible volume at a host time.
        func level(at now: Double) -> Double {
            guard let hostTime else { return from }
            return from + (to - from) * min(1, max(0, (now - hostTime) / seconds))
        }
    }

    /// The wait for the server of a remote medium. Buffered audio is played meanwhile.
    public struct Network: Sendable, Hashable {
        /// The error of the last attempt to reach the server.
        public var error: Failure
        /// The number of attempts that have failed since the last byte arrived.
        public var attempt: Int
        /// The time of the next attempt on the server's monotonic clock, in seconds.
        public var retryHostTime: Double
        public init(error: Failure, attempt: Int, retryHostTime: Double) {
            self.error = error; self.attempt = attempt; self.retryHostTime = retryHostTime
        }
    }

    /// A seek that takes long.
    public struct Seek: Sendable, Hashable {
        /// The target of the seek, in seconds of media time.
        public var target: Double
        /// The part of the way to the target that the seek has passed, 0…1.
        public var progress: Double
        public init(target: Double, progress: Double) { (self.target, self.progress) = (target, progress) }
    }

    /// The player's own status, which is independent of the status of the current item (R-PSTAT-01).
    public var status = AVPlayer.Status.unknown
    /// The requested rate of playback; 0 means paused.
    public var rate = 0.0
    public var defaultRate = 1.0
    public var timeControlStatus = AVPlayer.TimeControlStatus.paused
    /// The reason for which playback waits; nil if it does not wait.
    public var reasonForWaitingToPlay: AVPlayer.WaitingReason?
    /// Whether the last entry has been heard to its end. After the end of the last entry, the command `play` starts the last entry again.
    public var ended = false
    public var anchor = Anchor(time: 0, hostTime: 0, rate: 0)
    /// Whether the positions of the current item since its last seek, and so the anchor, are only estimated (R-SEEK-21).
    public var isPositionEstimated = false
    public var volume = 1.0
    public var isMuted = false
    public var automaticallyWaitsToMinimizeStalling = true
    public var actionAtItemEnd = AVPlayer.ActionAtItemEnd.advance
    public var audioTimePitchAlgorithm = PitchAlgorithm.timeDomain
    public var repeatMode = PlaylistMachine.RepeatMode.off
    public var isShuffled = false
    /// Whether an entry that was current is removed from the playlist after another entry became current, except by the command `previous`.
    public var isConsuming = false
    /// The duration of crossfades, in seconds, in `CrossfadeDuration.range`.
    public var crossfadeDuration = 0.0
    public var loudnessNormalization = LoudnessMode.off
    public var sleepTimer = SleepTimer()
    public var output = Output(kind: .none, id: "", name: "")
    public var audioSession = AudioSessionSummary(category: .playback, isActive: false, isInterrupted: false)
    public var lastChange = Change(reason: .none, origin: "player")
    /// The cause of the present pause; nil while a rate is requested, and before the first playback.
    public var lastPause: Pause?
    /// The scheduled start of playback; nil if no start is scheduled.
    public var scheduledStart: ScheduledStart?
    /// The part of the current item that is repeated, in seconds of media time; nil if no part is repeated. A client that computes the position from
    /// `anchor` continues at the start of this part when it reaches the end, and in reverse playback at the end when it reaches the start.
    public var loop: ItemDetails.TimeRange?
    /// The way of the current item's audio to the output; nil if the item or the output is not open.
    public var signalPath: SignalPath?
    /// The fade of the volume that is in progress; nil if the volume does not fade.
    public var fade: Fade?
    /// The wait for the server of the current item's medium; nil while the transfer works.
    public var network: Network?
    /// The seek in progress, if it takes long; otherwise nil.
    public var seek: Seek?
    public var queue = QueuePosition(revision: 0, count: 0, index: -1)
    public var persistence = Persistence()
    public var currentItem: Item?
    /// The entry that the command `next` makes current; nil at the end of the playback order.
    public var nextEntry: NextEntry?

    public init() {}
}

extension PlayerState.Anchor {
    /// Returns the position at the host time `now`, according to the anchor. If forward playback from the anchor reaches the end of `loop`, the
    /// position continues at the start of the loop. If backward playback reaches the start, the position continues at the end.
    func position(at now: Double, in loop: ItemDetails.TimeRange?) -> Double {
        let position = time + (now - hostTime) * rate
        guard let loop, loop.end > loop.start else { return position }
        let length = loop.end - loop.start
        if rate > 0, time < loop.end, position >= loop.end { return loop.start + (position - loop.start).truncatingRemainder(dividingBy: length) }
        if rate < 0, time > loop.start, position <= loop.start { return loop.end - (loop.end - position).truncatingRemainder(dividingBy: length) }
        return position
    }
}

extension PlayerState {
    /// The reason of a change of the player's state: AVFoundation's reasons, and reasons of this program.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case none
        // Reasons of a change of the requested rate (R-RDC-02).
        case setRateCalled, setRateFailed, audioSessionInterrupted, appBackgrounded
        // Reasons for waiting (R-WAIT-02…04).
        case toMinimizeStalls, evaluatingBufferingRate, noItemToPlay
        /// Playback has started to run after it had waited.
        case playing
        /// A seek has reached its position.
        case seek
        /// A client made another item current.
        case itemChanged
        /// The current item ended, and the next item became current.
        case itemAdvanced
        /// The status, duration or tags of the current item changed.
        case itemLoaded
        case itemFailed
        case didPlayToEndTime
        case playbackStalled
        /// The connection to the medium's server was lost, another attempt to restore it has failed, or it works again.
        case networkChanged
        /// The disk or share with the file of the current item is away, so the queue waits for it.
        case mediaUnavailable
        /// Several entries in a row have failed, so the queue was stopped.
        case queueFailed
        /// A setting of the player changed: volume, mute, repeat, shuffle, …
        case settingsChanged
        case queueChanged
        case outputChanged
        case audioSessionChanged
        /// The sleep timer was set or cancelled, or has paused playback.
        case sleepTimer
        /// Saving of the player's state has begun to fail, or works again.
        case persistenceChanged
    }
}

/// The reason why the player's state cannot be saved for the next run of the program.
public struct PersistenceFailure: Error, Sendable, Hashable {
    /// The kind of a failure. openapi.yaml lists the codes (`PersistenceErrorCode`).
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The disk with the state directory is full.
        case diskFull
        /// Writing fails for another reason.
        case writeFailed
        /// The database was found to be damaged while the program was running.
        case damaged
        /// Another program uses the state directory.
        case inUse
        /// The state directory or its database could not be used when the program started.
        case unavailable
    }

    public var code: Code
    /// The description of the failure for users, as one sentence.
    public var message: String
    public init(_ code: Code, _ message: String) { self.code = code; self.message = message }
}
