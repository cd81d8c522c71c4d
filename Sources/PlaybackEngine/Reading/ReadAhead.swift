import CoreMedia

/// The engine's side of the feeder: which audio was ordered, which arrives, and the seek that is pending. Owned by the engine's thread.
///
/// Each order begins a generation. The engine renders one generation; a pending seek has its own, until the engine switches over to it.
final class ReadAhead {
    /// A seek on its way through the feeder.
    struct PendingSeek {
        let request: SeekRequest
        fileprivate(set) var generation: Int
    }

    /// The generation that is rendered, 0 if none is.
    private(set) var generation = 0
    private(set) var lastGeneration = 0
    /// The newest seek, until it is carried out or has failed.
    private(set) var seek: PendingSeek?
    /// The position from which audio was ordered again, until its first block arrives.
    private(set) var resumePoint: (item: ItemID, position: Int64)?
    /// Whether no audio of the current item has been ordered yet: it is not open.
    private(set) var isAwaitingFirstOrder = false

    private let feeder: Mailbox<FeederCommand>
    private let queue: FeedQueue
    /// Ends what blocks in the feeder's readers.
    private let interrupts: InterruptList
    private let notices: Mailbox<FeederNotice>
    private let wakeFeeder: () -> Void

    /// - Parameters:
    ///   - notices: the feeder's answers.
    ///   - wakeFeeder: called if the queue has space again.
    init(_ feeder: Feeder, notices: Mailbox<FeederNotice>, wakeFeeder: @escaping () -> Void) {
        self.feeder = feeder.mailbox
        queue = feeder.queue
        interrupts = feeder.interrupts
        self.notices = notices
        self.wakeFeeder = wakeFeeder
    }

    /// The feeder's answers since the last call.
    func takeNotices() -> [FeederNotice] { notices.takeAll() }

    // MARK: Items

    /// Ends every read and open: the items are left.
    func leaveAll() { interrupts.raiseCurrent() }
    /// Ends a read or open of an item that is left.
    func leave(_ item: ItemID) { interrupts.raise(item) }

    /// Lets the feeder open an item, and discard all others.
    func load(_ request: LoadRequest) { feeder.post(.load(request)) }
    /// Lets the feeder discard all items.
    func unload() { feeder.post(.unload) }
    /// Lets the feeder join these items to another.
    func setUpcoming(_ requests: [LoadRequest], after item: ItemID) { feeder.post(.setUpcoming(requests, after: item)) }

    /// Renders nothing more until audio is ordered for an item that is not open yet.
    func awaitFirstOrder() {
        generation = 0
        isAwaitingFirstOrder = true
    }

    // MARK: Orders

    /// Orders the first audio of an item: from its start, or from the position of a pending seek. Returns the position.
    func orderFirst(_ item: ItemID, from start: CMTime, _ delivery: Delivery) -> Int64 {
        isAwaitingFirstOrder = false
        let (rate, sought) = (delivery.format.sampleRate, seek.map(\.request).flatMap { $0.item == item ? $0 : nil })
        var order = FeedOrder(
            generation: beginGeneration(), item: item,
            position: max(0, FrameCount.frames(of: sought?.time ?? start, sampleRate: rate) ?? 0), format: delivery.format,
            isReverse: delivery.isReverse)
        if let sought { order.setTolerances(of: sought) }
        if sought != nil { seek?.generation = order.generation } else { generation = order.generation }
        send(order)
        return order.position
    }

    /// Orders audio from a position on that is not kept, or in the other direction; a pending seek is ordered instead.
    func orderAgain(_ item: ItemID, from position: Int64, _ delivery: Delivery) {
        resumePoint = (item, max(0, position))
        generation = beginGeneration()
        if seek != nil {
            // Nothing of what was being read is wanted any more.
            orderSeekAgain(delivery)
        } else {
            send(
                FeedOrder(
                    generation: generation, item: item, position: max(0, position), format: delivery.format, isReverse: delivery.isReverse))
        }
    }

    /// Orders the audio that follows what is kept.
    func orderRest(_ item: ItemID, from position: Int64, _ delivery: Delivery) {
        generation = beginGeneration()
        send(FeedOrder(generation: generation, item: item, position: position, format: delivery.format, isReverse: delivery.isReverse))
    }

    /// Renders nothing of what was read so far.
    func discard() { generation = 0 }

    /// The first block of what was ordered again has arrived, or nothing waits for it any more.
    func clearResumePoint() { resumePoint = nil }

    private func beginGeneration() -> Int {
        lastGeneration += 1
        return lastGeneration
    }

    /// Sends an order. It cancels the feeder's current work: a read may wait for a server, and a seek for a scan.
    private func send(_ order: FeedOrder) {
        interrupts.announceOrder()
        feeder.post(.feed(order))
    }

    // MARK: The pending seek

    /// Begins a seek, whose order follows.
    func begin(_ request: SeekRequest) { seek = PendingSeek(request: request, generation: beginGeneration()) }

    /// Ends the pending seek, and returns it.
    func takeSeek() -> PendingSeek? {
        defer { seek = nil }
        return seek
    }

    /// Orders the pending seek.
    func orderSeek(_ delivery: Delivery) {
        guard let pending = seek else { return }
        let position = max(0, FrameCount.frames(of: pending.request.time, sampleRate: delivery.format.sampleRate) ?? 0)
        var order = FeedOrder(
            generation: pending.generation, item: pending.request.item, position: position, format: delivery.format, isReverse: delivery.isReverse)
        order.setTolerances(of: pending.request)
        send(order)
    }

    /// Orders the pending seek once more, in a generation of its own.
    func orderSeekAgain(_ delivery: Delivery) {
        guard seek != nil else { return }
        seek?.generation = beginGeneration()
        orderSeek(delivery)
    }

    /// The pending seek and the position at which it landed, if enough of its audio waits. Otherwise the feeder will wake the engine.
    func landedSeek(primeFrames: Int) -> (seek: PendingSeek, landed: Int64)? {
        guard let seek else { return nil }
        for _ in 0..<2 {
            if let ready = queue.readiness(generation: seek.generation), ready.hasEnd || ready.frames >= primeFrames { return (seek, ready.landing) }
            queue.consumerWaits()
        }
        return nil
    }

    /// Renders the generation of a seek from now on.
    func switchOver(to seek: PendingSeek) {
        generation = seek.generation
        resumePoint = nil
    }

    // MARK: The queue

    /// The next element, or nil after a request to be woken when there is one.
    func next() -> FeedElement? {
        if let element = queue.take(generation: generation) { return element }
        queue.consumerWaits()
        return queue.take(generation: generation)
    }

    /// An item whose followers are void, if that is what the queue holds next.
    func takeTruncation() -> ItemID? { queue.takeTruncation(generation: generation) }

    /// Frames that wait to be rendered.
    var waitingFrames: Int { queue.generation == generation ? queue.frames : 0 }
    /// Whether the feeder has read as far ahead as it may.
    var isFull: Bool { queue.isFull }

    /// Bounds how far the feeder reads ahead, in frames.
    func setLimits(_ limits: (low: Int, high: Int)) { queue.setLimits(low: limits.low, high: limits.high) }

    /// Wakes the feeder: its limits have changed.
    func wake() { wakeFeeder() }
    /// Wakes the feeder if the queue has run low.
    func wakeIfHungry() { if queue.isHungry { wakeFeeder() } }
}

extension FeedOrder {
    /// Takes over how far from its position a seek may land.
    fileprivate mutating func setTolerances(of request: SeekRequest) {
        before = FrameCount.frames(of: request.toleranceBefore, sampleRate: format.sampleRate) ?? 0
        after = FrameCount.frames(of: request.toleranceAfter, sampleRate: format.sampleRate) ?? 0
    }
}
