import CoreMedia
import Platform

/// The engine's view of the feeder: the audio that was ordered, the audio that arrives, and the pending seek. The engine's thread owns it.
///
/// Each order has its own write end of a tape. The engine renders the audio of one tape (`tape`); the audio of a pending seek waits in the write end
/// of its order, until the engine switches playback over to it.
final class FeedOrders {
    /// A seek that is not completed, and the write end of its order.
    struct PendingSeek {
        let request: SeekRequest
        fileprivate(set) var writeEnd: Tape.WriteEnd
    }

    /// The decoded audio around the frame that is rendered next.
    let tape = Tape()
    /// The newest seek, until it is completed or has failed; nil if no seek is pending.
    private(set) var seek: PendingSeek?
    /// The item and the media position, in frames, from which audio was ordered again. Nil if no audio was ordered again, or after the first element
    /// of the ordered audio has arrived.
    private(set) var resumePoint: (item: ItemID, position: Int64)?
    /// Whether no audio of the current item has been ordered, because the item is not open yet.
    private(set) var isAwaitingFirstOrder = false

    private let feeder: Mailbox<FeederCommand>
    /// The interrupts that end blocking calls of the feeder.
    private let interrupts: InterruptList
    private let notices: Mailbox<FeederNotice>
    private let wakeFeeder: () -> Void
    private var limits = (low: 1, high: 2)

    /// - Parameters:
    ///   - notices: the mailbox of the feeder's notices.
    ///   - wakeFeeder: the function that wakes the feeder's thread. The feeder is woken if fewer frames wait than the low limit, or if the limits
    ///     have changed.
    init(_ feeder: Feeder, notices: Mailbox<FeederNotice>, wakeFeeder: @escaping () -> Void) {
        self.feeder = feeder.mailbox
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

    /// Discards all audio until the current item is open and its first audio is ordered.
    ///
    /// - Parameter request: the current item, which the feeder opens now; nil if there is no item yet, because the caller passes it to `load` later.
    func awaitFirstOrder(of request: LoadRequest? = nil) {
        tape.begin(nil)
        isAwaitingFirstOrder = true
        if let request { feeder.post(.open(request)) }
    }

    /// Replaces the loop of an item, for audio that the feeder reads from now on.
    func setLoop(_ range: LoopRange?, of item: ItemID) { feeder.post(.setLoop(range, item)) }

    // MARK: Orders

    /// Orders the first audio of an item: from its start, or from the position of a pending seek. Returns the ordered position, in media frames.
    func orderFirst(_ item: ItemID, from start: CMTime, _ delivery: Delivery) -> Int64 {
        isAwaitingFirstOrder = false
        if let seek, seek.request.item == item {
            tape.begin(nil)
            return orderSeek(delivery)
        }
        let position = max(0, FrameCount.frames(of: start, sampleRate: delivery.format.sampleRate) ?? 0)
        let order = FeedOrder(writeEnd: makeWriteEnd(), item: item, position: position, delivery: delivery)
        tape.begin(order.writeEnd)
        send(order)
        return position
    }

    /// Orders audio of an item again, from the media position `position` (in frames) on. Such an order is necessary if the audio is no longer in
    /// memory, or if the direction of playback has changed. If a seek is pending, the audio at the seek's target is ordered instead.
    func orderAgain(_ item: ItemID, from position: Int64, _ delivery: Delivery) {
        tape.removeAll()
        resumePoint = (item, max(0, position))
        orderRest(item, from: max(0, position), delivery)
    }

    /// Extends the tape by the audio of an item from the media position `position` on, in frames. If a seek is pending, the audio at its target is
    /// ordered instead, because the seek decides which audio is needed next.
    ///
    /// - Parameter joint: how the ordered audio continues the decoded audio without a gap, so that playback does not jump; nil if it does not.
    func orderRest(_ item: ItemID, from position: Int64, _ delivery: Delivery, joint: FeedOrder.Joint? = nil) {
        let order = FeedOrder(writeEnd: makeWriteEnd(), item: item, position: position, delivery: delivery, joint: joint)
        tape.extend(by: order.writeEnd)
        if seek == nil { send(order) } else { orderSeek(delivery) }
    }

    /// Discards the resume point, because its audio has arrived or is no longer needed.
    func clearResumePoint() { resumePoint = nil }

    /// Converts the resume point to another sample rate of the output: its position is multiplied by `ratio`.
    func changeRate(by ratio: Double) {
        resumePoint = resumePoint.map { ($0.item, Int64(saturating: (Double($0.position) * ratio).rounded())) }
    }

    private func makeWriteEnd() -> Tape.WriteEnd { Tape.WriteEnd(limits: limits) }

    /// Sends an order to the feeder. An order interrupts the feeder's work, because reading may wait for a server, and seeking may scan the medium.
    private func send(_ order: FeedOrder) {
        interrupts.announceOrder()
        feeder.post(.feed(order))
    }

    // MARK: The pending seek

    /// Records a seek as pending. The function `orderSeek` sends its order to the feeder.
    func begin(_ request: SeekRequest) { seek = PendingSeek(request: request, writeEnd: makeWriteEnd()) }

    /// Ends the pending seek and returns it; nil if no seek is pending.
    func takeSeek() -> PendingSeek? {
        defer { seek = nil }
        return seek
    }

    /// Sends the order of the pending seek to the feeder; may be called again, to repeat the order. Returns the ordered position, in media frames.
    @discardableResult func orderSeek(_ delivery: Delivery) -> Int64 {
        guard let request = seek?.request else { return 0 }
        let position = max(0, FrameCount.frames(of: request.time, sampleRate: delivery.format.sampleRate) ?? 0)
        var order = FeedOrder(writeEnd: makeWriteEnd(), item: request.item, position: position, delivery: delivery)
        order.setTolerances(of: request)
        seek?.writeEnd = order.writeEnd
        send(order)
        return position
    }

    /// Switches rendering over to the audio of a completed seek.
    func switchOver(to seek: PendingSeek) {
        tape.begin(seek.writeEnd)
        resumePoint = nil
    }

    /// Sets the limits of the frames that wait in a write end: the feeder stops reading at the high limit, and continues below the low one. The
    /// feeder is woken, because it may have stopped at the former limit.
    func setLimits(_ limits: (low: Int, high: Int)) {
        guard limits != self.limits else { return }
        self.limits = limits
        seek?.writeEnd.setLimits(limits)
        tape.writeEnd?.setLimits(limits)
        wakeFeeder()
    }

    /// Wakes the feeder if fewer frames wait than the low limit.
    func wakeIfHungry() { if tape.writeEnd?.isHungry == true { wakeFeeder() } }
}

extension FeedOrder {
    /// Takes over the conditions of a seek: its tolerances, in frames, and whether the landing may be estimated.
    fileprivate mutating func setTolerances(of request: SeekRequest) {
        before = FrameCount.frames(of: request.toleranceBefore, sampleRate: delivery.format.sampleRate) ?? 0
        after = FrameCount.frames(of: request.toleranceAfter, sampleRate: delivery.format.sampleRate) ?? 0
        allowsEstimate = request.allowsEstimate
    }
}
