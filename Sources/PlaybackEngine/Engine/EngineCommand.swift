public import CoreMedia
public import Platform

/// A command of the player to the engine. Commands are carried out in order, on the engine's thread.
public enum EngineCommand: Sendable {
    /// Opens an item. The event `opened` or `failed` follows.
    case load(LoadRequest)
    /// Fades out the item; silence follows.
    case unload
    /// Replaces the items that follow the player's current item `after` without a gap. Audio of a listed item that was read ahead is kept if the
    /// items before it are unchanged too.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Advances to the next item; without one, the same as `unload`.
    case advance
    /// Seeks. The event `seekCompleted` or `seekFailed` follows; the latter also if a newer seek or a load replaces this one.
    case seek(SeekRequest)
    /// Sets the loop of an item. If the item is heard, audio that was rendered ahead is replaced without a gap. Otherwise the loop applies to audio
    /// that is read from now on.
    case setLoop(LoopRange?, ItemID)
    /// Applies settings at once, also to the open device and to rendered audio.
    case configure(EngineSettings)
    /// Starts the device (true), or fades out over 5 ms and then stops it (false). All buffered audio is kept.
    case setRunning(Bool)
    /// Prepares a start at least `StartTime.shortestNotice` ahead: silence replaces the rendered audio until `meetStart`. No effect without rendered
    /// audio or an open output, during playback, a fade-out or a seek, and in reverse playback.
    case awaitStart(HostTime)
    /// Completes a prepared start. Sent `StartTime.measuringTime` before the host time of the start: by the device's clock, the engine chooses the
    /// number of silent frames so that the next frame is heard in time.
    case meetStart
    /// Moves playback to an output, from the first frame that was not heard. The event `outputChanged`, `outputRefused` or `outputFailed` follows.
    case openOutput(any OutputProvider, by: OutputChangeCause)
}

/// A request to the engine to open an item.
public struct LoadRequest: Sendable, Hashable {
    public var item: ItemID
    public var source: MediaSource
    /// The position at which playback starts, exact to the sample; zero is the item's start (R-ITEM-03).
    public var startTime: CMTime
    /// The end of forward playback; ignored if not numeric (R-END-01).
    public var forwardEndTime: CMTime
    /// The end of backward playback; ignored if not numeric (R-END-01).
    public var reverseEndTime: CMTime
    public var loop: LoopRange?
    /// The tap that delivers the decoded audio to listeners; nil if the item cannot have them.
    public var tap: SampleTap?

    public init(
        item: ItemID, source: MediaSource, startTime: CMTime = .zero, forwardEndTime: CMTime = .invalid, reverseEndTime: CMTime = .invalid,
        loop: LoopRange? = nil, tap: SampleTap? = nil
    ) {
        self.item = item
        self.source = source
        self.startTime = startTime
        self.forwardEndTime = forwardEndTime
        self.reverseEndTime = reverseEndTime
        self.loop = loop
        self.tap = tap
    }
}

/// A seek of the current item.
public struct SeekRequest: Sendable, Hashable {
    /// The number of the seek, which increases with each; only the newest is carried out.
    public var id: UInt64
    public var item: ItemID
    public var time: CMTime
    public var toleranceBefore: CMTime
    public var toleranceAfter: CMTime
    /// Whether the landing may rest on an estimate (`AudioReader.isPositionEstimated`).
    public var allowsEstimate: Bool

    public init(
        id: UInt64, item: ItemID, time: CMTime, toleranceBefore: CMTime = .zero, toleranceAfter: CMTime = .zero, allowsEstimate: Bool = false
    ) {
        self.id = id
        self.item = item
        self.time = time
        self.toleranceBefore = toleranceBefore
        self.toleranceAfter = toleranceAfter
        self.allowsEstimate = allowsEstimate
    }
}

/// The identity of an item in the engine, never used again.
public struct ItemID: Sendable, Hashable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
