public import CoreMedia

/// An item for the engine to open.
public struct LoadRequest: Sendable, Hashable {
    public var item: ItemID
    public var source: MediaSource
    /// Where to begin; zero for the start. Honoured from the first sample (R-ITEM-03).
    public var startTime: CMTime
    /// Play no further than this, where numeric (R-END-01).
    public var forwardEndTime: CMTime
    /// Play backwards no further than this, where numeric (R-END-01).
    public var reverseEndTime: CMTime
    /// Hands its decoded sound to those who listen, nil where nobody can.
    public var tap: SampleTap?

    public init(
        item: ItemID, source: MediaSource, startTime: CMTime = .zero, forwardEndTime: CMTime = .invalid, reverseEndTime: CMTime = .invalid,
        tap: SampleTap? = nil
    ) {
        self.item = item
        self.source = source
        self.startTime = startTime
        self.forwardEndTime = forwardEndTime
        self.reverseEndTime = reverseEndTime
        self.tap = tap
    }
}

/// A seek of the current item.
public struct SeekRequest: Sendable, Hashable {
    /// Grows with each seek; the engine carries out only the newest.
    public var id: UInt64
    public var item: ItemID
    public var time: CMTime
    public var toleranceBefore: CMTime
    public var toleranceAfter: CMTime

    public init(id: UInt64, item: ItemID, time: CMTime, toleranceBefore: CMTime = .zero, toleranceAfter: CMTime = .zero) {
        self.id = id
        self.item = item
        self.time = time
        self.toleranceBefore = toleranceBefore
        self.toleranceAfter = toleranceAfter
    }
}

/// What the player asks of the engine. Commands are carried out in order, on the engine's thread.
public enum EngineCommand: Sendable {
    /// Replaces whatever plays, at once. Answered by `opened` or `failed`.
    case load(LoadRequest)
    /// Drops the current item and all that follow; silence.
    case unload
    /// The items to join to `after` (the item that the player calls current), in order, without a gap. Replaces the former list; items already joined and
    /// still listed stay joined.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Drops the current item and goes on with the first upcoming one at once; where there is none, like `unload`.
    case advance
    /// Answered by `seekCompleted`, unless a newer seek or a load came first.
    case seek(SeekRequest)
    /// Plays by these settings from now on. What changes an open device or rendered audio acts at once.
    case configure(EngineSettings)
    /// Lets the device run, or stops it after 5 ms in which the sound fades out, with everything kept.
    case setRunning(Bool)
    /// Try the outputs again in order of preference and move to the best that opens, keeping the position.
    case reselectOutput
    /// Replace the list of outputs and move to the best that opens, keeping the position.
    case setOutputs([any OutputProvider])
}

/// Makes sinks of one kind. The engine tries a list of them in order (`auto` is PulseAudio, then the null output).
public protocol OutputProvider: Sendable {
    /// A new, closed sink.
    func makeSink() -> any AudioSink
}

/// How far the engine is ahead of the ear for the current item.
public struct BufferLevel: Sendable, Hashable {
    /// Seconds of media decoded and not yet heard.
    public var seconds: Double
    public var isEmpty: Bool
    public var isFull: Bool
    /// Playback started now would go on without a stall, as far as can be foretold (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    public init(seconds: Double, isEmpty: Bool, isFull: Bool, isLikelyToKeepUp: Bool) {
        self.seconds = seconds
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}

/// Why sound goes to an output.
public enum OutputChangeCause: Sendable, Hashable {
    /// There was none before, or it was opened once more.
    case opened
    /// It is the best of a new list of outputs.
    case chosen
    /// It is better than the one before, and can be opened now.
    case found
    /// The one before failed.
    case lost
    /// The sound server moved the stream, on somebody's behalf.
    case moved
    /// The sound server moved the stream because the device before is there no longer.
    case removed
}

/// What the engine tells, in past tense, in order.
public enum EngineEvent: Sendable {
    /// The item can play: everything about it is known, no sound of it needs to be decoded yet.
    case opened(ItemID, MediaInfo)
    /// It could not be opened, or could not go on. Frames already rendered are still heard.
    case failed(ItemID, PlaybackError)
    /// The timeline changed other than by `written` growing: look at `PlaybackClock` again.
    case timelineChanged
    /// Flags of the current item's buffer changed (not every change of `seconds`).
    case bufferChanged(ItemID, BufferLevel)
    /// The newest seek is done: sound and timeline are at `landed`.
    case seekCompleted(UInt64, ItemID, landed: CMTime)
    /// The newest seek could not be done; position and sound are as before.
    case seekFailed(UInt64, ItemID, PlaybackError)
    /// A better value of the duration is known (R-EOI-08).
    case durationChanged(ItemID, MediaDuration)
    /// Sound goes to this output from now on.
    case outputChanged(OutputDescription, isAudible: Bool, by: OutputChangeCause)
    /// Others did something to the stream of the output.
    case streamSignal(StreamSignal)
    /// No output at all could be opened; the engine waits for `reselectOutput`.
    case outputFailed(PlaybackError)
    /// Corrupt packets were skipped, so many in all for this item.
    case packetsSkipped(ItemID, Int)
    /// The device had nothing to play although sound was due.
    case underran
}
