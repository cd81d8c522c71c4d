/// What the engine asks of the feeder.
enum FeederCommand: Sendable {
    /// Forget everything; open this item. Answered by `opened` or `failed`.
    case load(LoadRequest)
    case unload
    /// Begin a generation. Answered by `landed` or `seekFailed`.
    case feed(FeedOrder)
    /// `items` follow `after`, in order; items before `after` are over.
    case setUpcoming([LoadRequest], after: ItemID)
    /// An open that ran elsewhere has ended.
    case opened(OpenedReader)
}

/// What a generation is to hold: an item from a position on, delivered as `format`, forwards with those that follow it, or backwards to its start.
struct FeedOrder: Sendable {
    var generation: Int
    var item: ItemID
    var position: Int64
    /// How far from `position` it may begin.
    var before: Int64 = 0
    var after: Int64 = 0
    var format: AudioFormat
    var isReverse = false
}

/// What the feeder tells outside the stream of elements.
enum FeederNotice: Sendable {
    case opened(ItemID, MediaInfo)
    case failed(ItemID, PlaybackError)
    case landed(generation: Int, position: Int64)
    case seekFailed(generation: Int, PlaybackError)
    case durationChanged(ItemID, MediaDuration)
    case packetsSkipped(ItemID, Int)
}

/// The outcome of an open on its way from the opening thread to the feeder's.
///
/// `@unchecked Sendable`: the opening thread lets go of the reader when it posts this, and the feeder alone uses it from then on.
final class OpenedReader: @unchecked Sendable {
    let result: Result<any AudioReader, PlaybackError>
    /// Tells which open it was: each has its own.
    let interrupt: Interrupt
    init(_ result: Result<any AudioReader, PlaybackError>, interrupt: Interrupt) {
        self.result = result
        self.interrupt = interrupt
    }
}
