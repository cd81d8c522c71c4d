import CoreMedia

/// The feeder reads media ahead of the engine: the current item and the items that follow without a gap. The feeder may block in a media reader; the
/// engine must not.
///
/// The feeder works in `step()`, which a thread calls in production, and the test itself in a test.
final class Feeder {
    /// The interrupts of the items in `slots`. Other threads raise an interrupt to end a blocking call of the item's reader.
    let interrupts = InterruptList()
    /// The write end to which the audio of the newest order is appended.
    private var writeEnd = Tape.WriteEnd()
    let mailbox: Mailbox<FeederCommand>
    private let opener: any MediaOpener
    /// The function that runs the opening of a medium (`Opening`): on another thread, because opening may block; in tests on the same thread.
    private let runOpen: (Opening) -> Void
    private let notify: (FeederNotice) -> Void
    private let wakeEngine: () -> Void

    private(set) var slots: [Slot] = []
    private var feeding: Int?
    /// Whether the reader has reached the landing of an order, and the order's first element (`.start` or `.join`) was not appended yet. Only
    /// reading shows whether the medium has audio at the landing.
    private var hasLanded = false
    /// The joint of the present order's audio with audio that the engine keeps; nil if there is none.
    private var joint: FeedOrder.Joint?
    private var format = AudioFormat.compactDisc
    private var isReverse = false
    /// Whether an order was interrupted by a newer order that has not arrived. Until the newer order arrives, the reader's position is undefined, so
    /// nothing is read.
    private var isAwaitingOrder = false
    /// The item that the engine needs next, which is opened at once, and its order if the order arrived before the item was open; nil for none.
    private var awaited: (item: ItemID, order: FeedOrder?)?

    init(
        opener: any MediaOpener, wake: @escaping @Sendable () -> Void, runOpen: @escaping (Opening) -> Void,
        notify: @escaping (FeederNotice) -> Void, wakeEngine: @escaping () -> Void
    ) {
        self.opener = opener
        mailbox = Mailbox(wake: wake)
        self.runOpen = runOpen
        self.notify = notify
        self.wakeEngine = wakeEngine
    }

    /// Performs one step of the feeder. Returns false if the feeder has no work until a command arrives or fewer frames wait than the low limit.
    func step() -> Bool {
        var worked = false
        for command in mailbox.takeAll() {
            handle(command)
            worked = true
        }
        openAhead()
        return feedOne() || worked || examineOne()
    }

    /// Interrupts the blocking calls of all readers, and discards all items. `close` is called on the feeder's thread, or after the feeder's thread
    /// has ended.
    func close() {
        for slot in slots { slot.interrupt.raise() }
        (slots, feeding, hasLanded, awaited) = ([], nil, false, nil)
        writeEnd.removeAll()
    }

    // MARK: Commands

    private func handle(_ command: FeederCommand) {
        switch command {
        case .load(let request):
            close()
            open(request)
        case .unload: close()
        case .feed(let order):
            interrupts.takeOrder()
            feed(order)
        case .open(let request): open(request)
        case .setLoop(let range, let item):
            guard let index = slots.firstIndex(where: { $0.item == item }) else { return }
            slots[index].request.loop = range
            slots[index].prepareLoop(sampleRate: (slots[index].format ?? format).sampleRate)
        case .setUpcoming(let requests, let after): setUpcoming(requests, after: after)
        case .opened(let outcome):
            // The opening of each medium has its own interrupt. An item that was removed and listed again has a new interrupt, so the outcome of its
            // former opening is ignored.
            guard let index = slots.firstIndex(where: { $0.interrupt === outcome.interrupt }) else { return }
            let item = slots[index].item
            slots[index].isOpening = false
            switch outcome.result {
            case .success(let reader):
                slots[index].open(reader)
                notify(.opened(item, reader.info))
                if let order = awaited?.order, order.item == item { feed(order) }
            case .failure(let error):
                slots[index].hasFailed = true
                if awaited?.item == item { awaited = nil }
                notify(.failed(item, error))
            }
        }
    }

    /// Lets `openAhead` open the medium of an item next. If the item is not listed, it replaces all items.
    private func open(_ request: LoadRequest) {
        if !slots.contains(where: { $0.item == request.item }) {
            close()
            slots = [Slot(request, interrupt: interrupts.make(for: request.item))]
        }
        awaited = (request.item, nil)
    }

    private func feed(_ order: FeedOrder) {
        format = order.delivery.format
        (isAwaitingOrder, awaited) = (false, nil)
        guard let index = slots.firstIndex(where: { $0.item == order.item }) else { return refuse(order) }
        guard let reader = slots[index].reader else {
            // The item was removed and listed again, and the engine knows only its former opening. The order waits for the new opening.
            if !slots[index].hasFailed { (isAwaitingOrder, awaited) = (true, (order.item, order)) }
            return
        }
        do throws(PlaybackError) {
            try configure(index)
            var landed: Int64 = 0
            if slots[index].hasMoved || order.position != 0 {
                landed = try interruptibly(index) { () throws(PlaybackError) in
                    try reader.seek(to: order.position, before: order.before, after: order.after, allowsEstimate: order.allowsEstimate)
                }
            }
            slots[index].position = landed
        } catch {
            if error.code == .cancelled {
                slots[index].hasMoved = true
                isAwaitingOrder = true
                return
            }
            notify(.seekFailed(order.writeEnd, error))
            return returnToPosition(after: error, of: index)
        }
        isReverse = order.delivery.isReverse
        for other in slots.indices { slots[other].isBegun = false; slots[other].isEnded = false }
        slots[index].isBegun = true
        slots[index].hasMoved = true
        slots[index].loopAudio.leaveTurn()
        feeding = index
        writeEnd.removeAll()
        writeEnd = order.writeEnd
        hasLanded = true
        joint = order.joint
        // The engine is notified whether the landing is estimated, before it receives the audio.
        report(index)
    }

    /// Reports the failure of an order for an item that the feeder no longer has, so that the seek of the order does not stay pending.
    private func refuse(_ order: FeedOrder) { notify(.seekFailed(order.writeEnd, PlaybackError(.cancelled, "The item was removed."))) }

    /// Appends the first element of an order (`.start`, or `.join` if the order is joined) with the landing, if it is still missing.
    private func announceLanding() {
        guard hasLanded, let index = feeding else { return }
        hasLanded = false
        let (item, position) = (slots[index].item, slots[index].position)
        writeEnd.append(joint.map { .join(item, position: position, isTurn: $0 == .turn) } ?? .start(item, position: position))
    }

    /// Moves the landing of an order to the item's end, if the medium has no audio at the landing because it is shorter than its container states.
    ///
    /// - Returns: true if the landing was moved.
    private func landAtEnd(of reader: any AudioReader, _ index: Int) -> Bool {
        guard hasLanded, case .exact(let frames, format.sampleRate) = reader.duration, frames < slots[index].position else { return false }
        slots[index].position = frames
        return true
    }

    /// Moves the reader back to its former position, because a failed seek may have moved the reader. If the move back fails too, reports that the
    /// item is broken.
    private func returnToPosition(after error: PlaybackError, of index: Int) {
        guard feeding == index, !slots[index].isEnded, error.code != .notSeekable, let reader = slots[index].reader else { return }
        let position = slots[index].position
        do throws(PlaybackError) {
            let landed = try interruptibly(index) { () throws(PlaybackError) in try reader.seek(to: position, allowsEstimate: true) }
            guard landed == position else { throw error }
        } catch let failure {
            if failure.code == .cancelled { return isAwaitingOrder = true }
            slots[index].hasFailed = true
            slots[index].isEnded = true
            writeEnd.append(.broken(slots[index].item, error))
            wakeEngine()
        }
    }

    private func configure(_ index: Int, offset: Double = 0) throws(PlaybackError) {
        guard slots[index].format != format, let reader = slots[index].reader else { return }
        try reader.setOutputFormat(format, offset: offset)
        slots[index].adopt(format)
    }

    private func setUpcoming(_ requests: [LoadRequest], after: ItemID) {
        let fed = feeding.map { slots[$0].item }
        // A failed item without any audio on the tape is removed; the items before and after the failed item stay joined.
        slots.removeAll { slot in slot.hasFailed && !slot.isBegun && slot.item != after && !requests.contains { $0.item == slot.item } }
        feeding = fed.flatMap { item in slots.firstIndex { $0.item == item } }
        guard let anchor = slots.firstIndex(where: { $0.item == after }) else { return }
        let first = min(anchor, feeding ?? anchor, slots.firstIndex { $0.item == awaited?.item } ?? anchor)
        for over in slots[..<first] { over.interrupt.raise() }
        let rest = Array(slots[(anchor + 1)...])
        var kept = 0
        while kept < rest.count, kept < requests.count, rest[kept].item == requests[kept].item { kept += 1 }
        let dropped = rest[kept...]
        if dropped.contains(where: { $0.item == fed }) { announceLanding() }
        for slot in dropped { slot.interrupt.raise() }
        let lastGood = rest[..<kept].last { $0.isBegun }?.item ?? after
        let mustCut = dropped.contains { $0.isBegun }
        slots = Array(slots[first...(anchor + kept)]) + requests[kept...].map { Slot($0, interrupt: interrupts.make(for: $0.item)) }
        // An item that was removed from the list of following items and listed again is read from its start. An item that was never removed from the
        // list is read further from its present position.
        let remaining = slots.prefix(anchor + kept + 1 - first)
        feeding = fed.flatMap { item in remaining.firstIndex { $0.item == item } } ?? (fed == nil ? nil : slots.firstIndex { $0.item == lastGood })
        if let order = awaited?.order, !slots.contains(where: { $0.item == order.item }) {
            (isAwaitingOrder, awaited) = (false, nil)
            refuse(order)
        }
        if mustCut {
            writeEnd.truncate(after: lastGood)
            wakeEngine()
        }
    }

    // MARK: Reading

    /// Opens the item that the feeder reads now, the next item that has not failed, and the item that the engine needs next (`awaited`).
    private func openAhead() {
        let current = feeding ?? 0
        let next = follower(of: current)
        for index in slots.indices where index == current || index == next || slots[index].item == awaited?.item {
            guard slots[index].reader == nil, !slots[index].hasFailed, !slots[index].isOpening else { continue }
            slots[index].isOpening = true
            let (source, interrupt) = (slots[index].request.source, slots[index].interrupt)
            runOpen(Opening(source, interrupt: interrupt, opener: opener) { [mailbox] in mailbox.post(.opened($0)) })
        }
    }

    private func feedOne() -> Bool {
        guard let index = feeding, index < slots.count, !isAwaitingOrder, writeEnd.wantsMore else { return false }
        if slots[index].isEnded { return !isReverse && beginNext(after: index) }
        guard let reader = slots[index].reader else { return false }
        do throws(PlaybackError) {
            reader.keepEndOpen(!isReverse && follower(of: index) != nil && slots[index].loop == nil)
            if slots[index].isAtTurn(isReverse: isReverse) {
                try turn(index, reader)
            } else if isReverse, slots[index].position > slots[index].reverseEnd {
                try interruptibly(index) { () throws(PlaybackError) in try pushReversed(from: reader, of: index) }
            } else if !isReverse, slots[index].position < slots[index].end {
                if let kept = slots[index].loopAudio.next() {
                    push(kept, of: index)
                } else if let block = try interruptibly(index, { () throws(PlaybackError) in try reader.read() }) {
                    announceLanding()
                    push(block, of: index)
                } else if reader.awaitsFollower {
                    return try finish(reader, of: index)
                } else if !slots[index].endLoop(sampleRate: format.sampleRate) {
                    _ = landAtEnd(of: reader, index)
                    end(index)
                }
            } else {
                end(index)
            }
        } catch {
            // A read is cancelled only if a newer command of the engine waits. The newer command decides how reading continues.
            if error.code == .cancelled { return !mailbox.isEmpty }
            announceLanding()
            slots[index].hasFailed = true
            slots[index].isEnded = true
            writeEnd.append(.broken(slots[index].item, error))
        }
        report(index)
        dataArrived()
        return true
    }

    /// Lets the reader examine a portion of the rest of the medium if enough audio waits. Returns false if there is nothing to examine.
    private func examineOne() -> Bool {
        guard let index = feeding, index < slots.count, !isAwaitingOrder, !writeEnd.wantsMore else { return false }
        guard !slots[index].isEnded, let reader = slots[index].reader else { return false }
        do throws(PlaybackError) {
            let hasMore = try interruptibly(index) { () throws(PlaybackError) in try reader.examine() }
            return report(index) || hasMore
        } catch {
            // Only reading shows whether an error concerns the audio.
            return false
        }
    }

    /// Lets a reader return its last frames, which depend on the beginning of the following item. Waits for the opening of the following item if
    /// enough audio waits. Returns false if the feeder has to wait.
    private func finish(_ reader: any AudioReader, of index: Int) throws(PlaybackError) -> Bool {
        let next = follower(of: index)
        if let next, slots[next].isOpening, writeEnd.staysAbove(format.sampleRate / 2) { return false }
        do throws(PlaybackError) {
            if let next, slots[next].canBeJoined {
                slots[next].begin(after: slots[index].item, isJoined: true)
                try configure(next, offset: reader.remainder)
                try interruptibly(next) { () throws(PlaybackError) in try slots[next].finish(reader) }
            }
        } catch {
            // Any other error of the following item is reported later, when that item is read.
            if error.code == .cancelled { throw error }
        }
        if reader.awaitsFollower { try reader.finish(with: nil) }
        return true
    }

    private func end(_ index: Int) {
        announceLanding()
        slots[index].isEnded = true
        writeEnd.append(.end(slots[index].item, position: slots[index].position))
    }

    private func push(_ block: AudioBlock, of index: Int) {
        let limit = slots[index].forwardLimit
        let part = block.end <= limit ? block : block.split(at: Int(max(0, limit - block.position))).0
        writeEnd.append(.block(slots[index].item, part))
        slots[index].position = min(block.end, limit)
        slots[index].keep(part)
    }

    /// Continues reading at the other end of the loop: forward reading at the loop's start, reverse reading at the loop's end.
    private func turn(_ index: Int, _ reader: any AudioReader) throws(PlaybackError) {
        guard var loop = slots[index].loop else { return }
        if isReverse {
            // In reverse playback, each part is read after a seek of its own, so no seek is needed at the turn. A loop whose end is after the
            // medium's end would contain silence.
            if case .exact(let frames, format.sampleRate) = reader.duration {
                loop = loop.ending(atMost: frames, sampleRate: format.sampleRate) ?? loop
            }
            slots[index].loop = loop
        } else if !slots[index].loopAudio.isComplete {
            let (start, isEstimated) = (loop.start, reader.isPositionEstimated)
            let landed = try interruptibly(index) { () throws(PlaybackError) in try reader.seek(to: start, allowsEstimate: isEstimated) }
            guard landed == loop.start else { throw PlaybackError(.notSeekable, "The start of the loop cannot be reached exactly.") }
        }
        announceLanding()
        slots[index].loopAudio.beginTurn()
        slots[index].position = isReverse ? loop.end : loop.start
        writeEnd.append(.join(slots[index].item, position: slots[index].position, isTurn: true))
    }

    /// Reads at most half a second of audio before the present reading position, and appends that audio with its frames in reverse order.
    private func pushReversed(from reader: any AudioReader, of index: Int) throws(PlaybackError) {
        let end = slots[index].position
        let begin = max(slots[index].reverseLimit, end - Int64(format.sampleRate / 2))
        let channels = format.channelCount
        let (samples, at) = try reader.samples(from: begin, to: end, channelCount: channels)
        if at < end, landAtEnd(of: reader, index) { return }
        announceLanding()
        writeEnd.append(.block(slots[index].item, AudioBlock(reversing: samples, position: begin, channelCount: channels)))
        slots[index].position = begin
    }

    /// Begins to read the next item that has not failed. Returns false if all following items have failed, or if the next one is not open yet.
    private func beginNext(after index: Int) -> Bool {
        guard let next = follower(of: index), let reader = slots[next].reader else { return false }
        do throws(PlaybackError) {
            // The duration of an item may end between two frames; the start of the next item is shifted by that fraction of a frame. If an item ends
            // early, at its forward end time, the next item is not shifted.
            let isWhole = slots[index].position < slots[index].end
            slots[next].begin(after: slots[index].item)
            try configure(next, offset: isWhole ? slots[index].reader?.remainder ?? 0 : 0)
            let start = FrameCount.frames(of: slots[next].request.startTime, sampleRate: format.sampleRate) ?? 0
            var landed: Int64 = 0
            if slots[next].hasMoved || start != 0 {
                landed = try interruptibly(next) { () throws(PlaybackError) in try reader.seek(to: start, allowsEstimate: true) }
            }
            slots[next].position = landed
        } catch {
            if error.code == .cancelled {
                slots[next].hasMoved = true
                return !mailbox.isEmpty
            }
            slots[next].hasFailed = true
            notify(.failed(slots[next].item, error))
            return true
        }
        slots[next].isBegun = true
        slots[next].hasMoved = true
        feeding = next
        writeEnd.append(.start(slots[next].item, position: slots[next].position))
        dataArrived()
        return true
    }

    private func dataArrived() { if writeEnd.answerEngine() { wakeEngine() } }

    /// Reports what has changed in the facts of an item's reader. Returns whether anything has changed.
    @discardableResult private func report(_ index: Int) -> Bool {
        let notices = slots[index].reader.map { slots[index].takeNotices(of: $0) } ?? []
        notices.forEach(notify)
        return !notices.isEmpty
    }
}

/// A command of the engine to the feeder.
enum FeederCommand: Sendable {
    /// Discards all items of the feeder, and opens the item of the request. The feeder answers with the notice `opened` or `failed`.
    case load(LoadRequest)
    case unload
    /// The feeder answers with the order's first element on the tape (`.start` or `.join`), or with the notice `seekFailed`. If a newer order
    /// interrupts this one, the feeder does not answer.
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
