import CoreMedia
import Platform

/// The engine's view of the feeder: the audio that was ordered, the audio that arrives, and the pending seek. The engine's thread owns the
/// `FeedOrders`.
///
/// Each order begins a generation: a number that identifies the audio of that order. The engine renders the audio of one generation. A pending seek
/// has its own generation, until the engine switches playback over to the audio of the seek.
final class FeedOrders {
    /// A seek that is not completed, and the generation of its order.
    struct PendingSeek {
        let request: SeekRequest
        fileprivate(set) var generation: Int
    }

    /// The generation whose audio is rendered; 0 if no audio was ordered.
    private(set) var generation = 0
    /// The number of the last generation that was begun, for audio that is rendered or for a pending seek.
    private(set) var lastGeneration = 0
    /// The newest seek, until it is completed or has failed; nil if no seek is pending.
    private(set) var seek: PendingSeek?
    /// The item and the media position, in frames, from which audio was ordered again. Nil if no audio was ordered again, or after the first element
    /// of the ordered audio has arrived.
    private(set) var resumePoint: (item: ItemID, position: Int64)?
    /// Whether no audio of the current item has been ordered, because the item is not open yet.
    private(set) var isAwaitingFirstOrder = false

    private let feeder: Mailbox<FeederCommand>
    private let queue: FeedQueue
    /// The interrupts that end blocking calls of the feeder.
    private let interrupts: InterruptList
    private let notices: Mailbox<FeederNotice>
    private let wakeFeeder: () -> Void

    /// - Parameters:
    ///   - notices: the mailbox of the feeder's notices.
    ///   - wakeFeeder: the function that wakes the feeder's thread. The feeder is woken if the queue has fewer frames than its low limit, or if the
    ///     limits of the queue have changed.
    init(_ feeder: Feeder, notices: Mailbox<FeederNotice>, wakeFeeder: @escaping () -> Void) {
        self.feeder = feeder.mailbox
        queue = feeder.queue
        interrupts = feeder.interrupts
        self.notices = notices
        self.wakeFeeder = wakeFeeder
    }

    /// Returns the notices that the feeder has sent since the last call of `takeNotices`.
    func takeNotices() -> [FeederNotice] { notices.takeAll() }

    // MARK: Items

    /// Interrupts the reading and opening of all items, because the items are no longer needed.
    func leaveAll() { interrupts.raiseCurrent() }
    /// Interrupts the reading and opening of an item that is no longer needed.
    func leave(_ item: ItemID) { interrupts.raise(item) }

    /// Lets the feeder open an item, and discard all other items.
    func load(_ request: LoadRequest) { feeder.post(.load(request)) }
    /// Lets the feeder discard all items.
    func unload() { feeder.post(.unload) }
    /// Lets the feeder join the items of `requests` to the end of `item`.
    func setUpcoming(_ requests: [LoadRequest], after item: ItemID) { feeder.post(.setUpcoming(requests, after: item)) }

    /// Suspends rendering until the current item is open and its first audio is ordered.
    ///
    /// - Parameter request: the current item, which the feeder opens now; nil if there is no item yet, because the caller passes the item to `load`
    ///   later.
    func awaitFirstOrder(of request: LoadRequest? = nil) {
        generation = 0
        isAwaitingFirstOrder = true
        if let request { feeder.post(.open(request)) }
    }

    /// Replaces the loop of an item, for audio that the feeder reads from now on.
    func setLoop(_ range: LoopRange?, of item: ItemID) { feeder.post(.setLoop(range, item)) }

    // MARK: Orders

    /// Orders the first audio of an item: from its start, or from the position of a pending seek. Returns the ordered position, in media frames.
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

    /// Orders audio of an item again, from the media position `position` (in frames) on. Such an order is necessary if the audio is no longer in
    /// memory, or if the direction of playback has changed. If a seek is pending, the audio at the seek's target is ordered instead.
    func orderAgain(_ item: ItemID, from position: Int64, _ delivery: Delivery) {
        resumePoint = (item, max(0, position))
        orderRest(item, from: max(0, position), delivery)
    }

    /// Sends the feeder an order for the audio of an item from the media position `position` on, in frames. The engine has decoded audio before this
    /// position and continues to render it. If a seek is pending, the audio at the seek's target is ordered instead.
    ///
    /// - Parameter joint: how the ordered audio continues the decoded audio without a gap, so that playback does not jump; nil if it does not.
    func orderRest(_ item: ItemID, from position: Int64, _ delivery: Delivery, joint: FeedOrder.Joint? = nil) {
        generation = beginGeneration()
        // The pending seek decides which audio is needed next, so the audio of the seek is ordered again instead of the requested audio.
        if seek != nil {
            orderSeekAgain(delivery)
            return
        }
        send(
            FeedOrder(
                generation: generation, item: item, position: position, format: delivery.format, isReverse: delivery.isReverse, joint: joint))
    }

    /// Ends the rendering of all audio that was ordered so far. The elements in the queue are ignored from now on.
    func discard() { generation = 0 }

    /// Discards the resume point, because its audio has arrived or is no longer needed.
    func clearResumePoint() { resumePoint = nil }

    /// Converts the resume point to another sample rate of the output: its position is multiplied by `ratio`.
    func changeRate(by ratio: Double) {
        resumePoint = resumePoint.map { ($0.item, Int64(saturating: (Double($0.position) * ratio).rounded())) }
    }

    private func beginGeneration() -> Int {
        lastGeneration += 1
        return lastGeneration
    }

    /// Sends an order to the feeder. An order interrupts the feeder's current work, because reading may wait for a server, and seeking may scan the
    /// medium.
    private func send(_ order: FeedOrder) {
        interrupts.announceOrder()
        feeder.post(.feed(order))
    }

    // MARK: The pending seek

    /// Records a seek as pending, with a new generation number. The function `orderSeek` sends the order of a pending seek to the feeder.
    func begin(_ request: SeekRequest) { seek = PendingSeek(request: request, generation: beginGeneration()) }

    /// Ends the pending seek and returns it; nil if no seek is pending.
    func takeSeek() -> PendingSeek? {
        defer { seek = nil }
        return seek
    }

    /// Sends the order of the pending seek to the feeder.
    func orderSeek(_ delivery: Delivery) {
        guard let pending = seek else { return }
        let position = max(0, FrameCount.frames(of: pending.request.time, sampleRate: delivery.format.sampleRate) ?? 0)
        var order = FeedOrder(
            generation: pending.generation, item: pending.request.item, position: position, format: delivery.format, isReverse: delivery.isReverse)
        order.setTolerances(of: pending.request)
        send(order)
    }

    /// Sends the order of the pending seek again, with a new generation number.
    func orderSeekAgain(_ delivery: Delivery) {
        guard seek != nil else { return }
        seek?.generation = beginGeneration()
        orderSeek(delivery)
    }

    /// Returns the pending seek and its landing (a media position, in frames), if the queue has at least `primeFrames` frames of the seek's audio, or
    /// the end of that audio. If the queue has too little audio of the seek, returns nil, and the feeder wakes the engine after the next element.
    func landedSeek(primeFrames: Int) -> (seek: PendingSeek, landed: Int64)? {
        guard let seek else { return nil }
        for _ in 0..<2 {
            if let ready = queue.readiness(generation: seek.generation), ready.hasEnd || ready.frames >= primeFrames { return (seek, ready.landing) }
            queue.consumerWaits()
        }
        return nil
    }

    /// Switches rendering over to the audio of a completed seek: its generation becomes the rendered one.
    func switchOver(to seek: PendingSeek) {
        generation = seek.generation
        resumePoint = nil
    }

    // MARK: The queue

    /// Returns the next queue element of the rendered generation. If the queue is empty, returns nil, and the feeder wakes the engine after the next
    /// element.
    func next() -> FeedElement? {
        if let element = queue.take(generation: generation) { return element }
        queue.consumerWaits()
        return queue.take(generation: generation)
    }

    /// Takes the next element from the queue if the element is a truncation (`.truncate`). Returns the item after which all audio is to be discarded,
    /// otherwise nil.
    func takeTruncation() -> ItemID? { queue.takeTruncation(generation: generation) }

    /// The number of frames in the queue that wait to be rendered.
    var waitingFrames: Int { queue.generation == generation ? queue.frames : 0 }
    /// Whether the feeder has stopped reading, because the queue has enough frames.
    var isFull: Bool { queue.isFull }

    /// Sets the limits of the queue, in frames. The feeder stops reading if the queue exceeds the high limit, and continues if the queue falls below
    /// the low limit.
    func setLimits(_ limits: (low: Int, high: Int)) { queue.setLimits(low: limits.low, high: limits.high) }

    /// Wakes the feeder, because the limits of the queue have changed.
    func wake() { wakeFeeder() }
    /// Wakes the feeder if the queue has fewer frames than the low limit.
    func wakeIfHungry() { if queue.isHungry { wakeFeeder() } }
}

extension FeedOrder {
    /// Takes over the conditions of a seek: its tolerances, in frames, and whether the landing may be estimated.
    fileprivate mutating func setTolerances(of request: SeekRequest) {
        before = FrameCount.frames(of: request.toleranceBefore, sampleRate: format.sampleRate) ?? 0
        after = FrameCount.frames(of: request.toleranceAfter, sampleRate: format.sampleRate) ?? 0
        allowsEstimate = request.allowsEstimate
    }
}

/// The format in which the feeder delivers audio, and the direction of playback.
struct Delivery {
    let format: AudioFormat
    let isReverse: Bool
}
