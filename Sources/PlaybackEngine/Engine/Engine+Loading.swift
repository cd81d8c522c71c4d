/// The engine's loading, joining and removal of items.
extension Engine {
    func handle(_ notice: FeederNotice) {
        switch notice {
        case .opened(let item, let info):
            facts.noteOpened(item, info, sampleRate: output.format.sampleRate)
            if item == lineup.current, orders.isAwaitingFirstOrder { beginFirst(item, info.format) }
            emit(.opened(item, info))
        case .failed(let item, let error):
            facts.noteFailed(item)
            emit(.failed(item, error))
            if orders.seek?.request.item == item, let pending = orders.takeSeek() { fail(pending.request, error) }
        case .seekFailed(let writeEnd, let error):
            if orders.seek?.writeEnd === writeEnd, let pending = orders.takeSeek() {
                fail(pending.request, error)
            } else if writeEnd === tape.writeEnd, let item = lineup.current {
                emit(.failed(item, error))
            }
        case .durationChanged(let item, let duration):
            emit(.durationChanged(item, duration))
        case .positionEstimated(let item, let isEstimated):
            emit(.positionEstimated(item, isEstimated))
        case .packetsSkipped(let item, let count):
            emit(.packetsSkipped(item, count))
        }
    }

    func load(_ request: LoadRequest) {
        orders.leaveAll()
        dropAll()
        lineup.begin(with: request)
        add(request)
        orders.load(request)
    }

    /// Records the facts of an item. If the reserve of a remote medium (the transferred bytes that have not been read) changes, the engine is woken,
    /// because the item may start then.
    private func add(_ request: LoadRequest) {
        facts.add(request)
        request.source.monitor?.observeReserve(wake)
    }

    func unload() {
        orders.leaveAll()
        dropAll()
        orders.unload()
    }

    /// Fades out the audio, and discards all items and all audio that was rendered or decoded.
    private func dropAll() {
        setAwaitedStart(nil)
        withdraw()
        output.fadeAway()
        settle()
        timeline.removeAll()
        renderer.reset()
        forgetLevel()
        orders.clearResumePoint()
        orders.awaitFirstOrder()
        lineup.removeAll()
        facts.removeAll()
        cancelSeek(because: "Another item replaced this one.")
        publishTimeline(changed: true)
    }

    /// Starts an item after its medium was opened: prepares the device for the item's format, and orders the item's first audio from the feeder.
    func beginFirst(_ item: ItemID, _ format: AudioFormat) {
        adopt(format)
        orderFirst(item)
    }

    /// Orders the first audio of an item from the feeder: from the item's start, or from the position of a pending seek.
    func orderFirst(_ item: ItemID) {
        setQueueLimits()
        facts.tap(of: item)?.repeatAudio(fromTurn: timeline.turns(of: item))
        let position = orders.orderFirst(item, from: lineup.startTime, delivery)
        output.expect(position != 0 ? .inside : .atStart)
    }

    /// The present format and direction in which the feeder has to deliver audio.
    var delivery: Delivery { Delivery(format: output.format, isReverse: settings.isReverse) }

    func setUpcoming(_ requests: [LoadRequest], after item: ItemID) {
        leaveFormer(for: item)
        guard let heard = heardItem else { return }
        let (rest, anchor) = lineup.follow(item, with: requests, heard: heard)
        for request in requests { add(request) }
        facts.keep(only: Set(lineup.items + [heard, anchor]))
        orders.setUpcoming(rest, after: anchor)
        // If a joined item is heard before the seek in its predecessor has landed, the seek is cancelled (R-SEEK-03).
        if let pending = orders.seek, pending.request.item != item, orders.takeSeek() != nil { leave(pending.request) }
    }

    /// Cancels a seek in an item that is no longer the player's current item. The feeder has begun the seek, so `fail` orders it to continue after
    /// the decoded audio.
    private func leave(_ request: SeekRequest) { fail(request, PlaybackError(.cancelled, "The next item has begun.")) }

    /// Advances to `item`, the player's current item, if a seek in its predecessor has landed after `item` was heard: the landing has removed the
    /// audio of `item` from the timeline.
    private func leaveFormer(for item: ItemID) {
        guard item != heardItem, lineup.upcoming.first?.item == item, let last = timeline.segments.last, last.end == nil,
            !timeline.segments.contains(where: { $0.item == item })
        else { return }
        advance()
    }

    func advance() {
        guard let next = lineup.upcoming.first else {
            dropAll()
            orders.unload()
            return
        }
        setAwaitedStart(nil)
        let wasSeeking = orders.seek != nil
        cancelSeek(because: "The player advanced to the next item.")
        // Reading of the heard item is interrupted, unless the heard item is already one of the following items, which are still needed.
        if let left = heardItem, !lineup.upcoming.contains(where: { $0.item == left }) { orders.leave(left) }
        withdraw()
        timeline.removeAll()
        orders.clearResumePoint()
        renderer.reset()
        lineup.advance()
        if !settings.isReverse, !wasSeeking, !tape.isCrossfaded(into: next.item), !needsOtherRate(next.item),
            let position = tape.move(toStartOf: next.item)
        {
            tape.trimToCursor()
            let jump: Jump = position == 0 ? .atStart : .inside
            output.replace(with: .jump(jump, opening: (next.item, Double(position)), mark: tape.mark))
            output.expect(jump)
            open(next.item, media: Double(position))
            _ = fill()
        } else {
            output.fadeAway()
            // If the feeder is still opening the next item, the item's first audio is ordered after the item is open.
            if let format = facts.format(of: next.item) { beginFirst(next.item, format) } else { orders.awaitFirstOrder(of: next) }
        }
        forgetLevel()
        settle()
        publishTimeline(changed: true)
    }

    /// Whether another item is joined to the end of `item`; never in reverse playback.
    func hasFollower(_ item: ItemID) -> Bool { !settings.isReverse && lineup.hasFollower(of: item) }
}
