/// A command of the engine to the feeder.
enum FeederCommand: Sendable {
    /// Discards all items of the feeder, and opens the item of the request. The feeder answers with the notice `opened` or `failed`.
    case load(LoadRequest)
    case unload
    /// Begins a generation (the audio of one order). The feeder answers with the generation's first element in the queue (`.start` or `.join`), or
    /// with the notice `seekFailed`. If a newer order interrupts this one, the feeder does not answer.
    case feed(FeedOrder)
    /// Opens an item at once, although items before it may not have been read. If the item is not listed, it replaces all items. The engine orders
    /// the item's audio after the item is open.
    case open(LoadRequest)
    /// Replaces the loop of an item, for audio that is read from now on.
    case setLoop(LoopRange?, ItemID)
    /// Joins a list of items, in order, to the end of the item `after`. The items before `after` are no longer needed, except for an item that the
    /// feeder still reads.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Delivers the outcome of the opening of a medium, which ran on another thread.
    case opened(OpenedReader)
}
