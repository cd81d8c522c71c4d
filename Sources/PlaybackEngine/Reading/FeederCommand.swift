/// What the engine asks of the feeder.
enum FeederCommand: Sendable {
    /// Forget everything; open this item. Answered by `opened` or `failed`.
    case load(LoadRequest)
    case unload
    /// Begin a generation. Answered by its first element, `.start`, in the queue, or by `seekFailed`.
    case feed(FeedOrder)
    /// `items` follow `after`, in order; items before `after` are over.
    case setUpcoming([LoadRequest], after: ItemID)
    /// An open that ran elsewhere has ended.
    case opened(OpenedReader)
}
