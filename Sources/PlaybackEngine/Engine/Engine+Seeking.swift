import CoreMedia

/// Seeks, and changes of the rate or the direction of playback. A seek or a change of the direction replaces the audio after the playhead by audio
/// that is decoded anew. A change of the rate renders the decoded audio again.
extension Engine {
    func begin(_ request: SeekRequest) {
        cancelSeek(because: "A newer seek replaced this one.")
        if request.item == lineup.upcoming.first?.item, request.item != heardItem, timeline.hasHeardEnd {
            // The player has already made the next item current. The next item was opened too late to be joined to the current item, so the engine
            // advances now.
            advance()
        }
        guard request.item == heardItem else {
            return fail(request, PlaybackError(.cancelled, "The item is not the current one."))
        }
        // A seek in an item that is neither open nor being opened could never end, so it fails at once.
        guard orders.isAwaitingFirstOrder ? !facts.hasFailed(request.item) : facts.isOpen(request.item) else {
            return fail(request, PlaybackError(.cancelled, "The item is not open."))
        }
        orders.begin(request)
        guard !orders.isAwaitingFirstOrder else { return }
        orders.orderSeek(delivery)
    }

    func cancelSeek(because reason: String) {
        guard let pending = orders.takeSeek() else { return }
        emit(.seekFailed(pending.request.id, pending.request.item, PlaybackError(.cancelled, reason)))
    }

    /// Reports that a seek has failed. The feeder may have moved the reader for the failed seek, so the engine orders again the audio that follows
    /// the decoded audio.
    func fail(_ request: SeekRequest, _ error: PlaybackError) {
        emit(.seekFailed(request.id, request.item, error))
        guard orders.seek == nil, let item = heardItem, let format = facts.format(of: item) else { return }
        if tape.writeEnd == nil {
            if !orders.isAwaitingFirstOrder { beginFirst(item, format) }
            return
        }
        guard let rest = tape.continuation(isReverse: settings.isReverse) ?? orders.resumePoint else {
            if timeline.segments.isEmpty {
                // The failed seek has interrupted the order of the item's first audio.
                beginFirst(item, format)
            } else if !settings.isReverse, let end = tape.itemEnd {
                // The feeder joins the following items to this end, which the seek may have interrupted.
                orders.orderRest(end.item, from: end.position, delivery, joint: .samePass)
            }
            return
        }
        orders.orderRest(rest.item, from: rest.position, delivery)
    }

    /// Discards the decoded audio, and orders the audio of an item from the media position `position` on (in frames) from the feeder: because the
    /// tape no longer contains this audio, or because the direction of playback has changed. If a seek is pending, the audio at the seek's target is
    /// ordered instead.
    func readAgain(_ item: ItemID, from position: Int64) {
        setAwaitedStart(nil)
        output.fadeAway()
        output.expect(position == 0 && !settings.isReverse ? .atStart : .inside)
        facts.tap(of: item)?.repeatAudio(fromTurn: timeline.turns(of: item))
        orders.orderAgain(item, from: position, delivery)
    }

    /// Switches playback to the landing of the pending seek (the position that the reader reached), if enough audio is decoded there. Until the seek
    /// is completed, the old audio continues. Returns whether the seek was completed.
    func completeSeek() -> Bool {
        guard let pending = orders.seek, let landed = pending.writeEnd.landing(withFrames: plan.primeFrames) else { return false }
        _ = orders.takeSeek()
        let former = tape.writeEnd
        withdraw()
        guard tape.writeEnd === former else {
            // If the device was lost while its frames were withdrawn, the feeder was given an order for the old position, which replaced
            // the order for the seek's target. So the order for the target is given again.
            orders.begin(pending.request)
            orders.orderSeek(delivery)
            return true
        }
        let request = pending.request
        setAwaitedStart(nil)
        orders.switchOver(to: pending)
        timeline.removeAll()
        renderer.reset()
        output.expect(landed != 0 ? .inside : .atStart)
        timeline.noteLanding(of: request.id)
        forgetLevel()
        facts.tap(of: request.item)?.restart()
        lineup.makeCurrent(request.item)
        // An error behind the replaced audio is not reached any more.
        _ = facts.takeBroken()
        resumeRendering()
        let time = CMTime(value: landed, timescale: CMTimeScale(output.format.sampleRate))
        // The timeline was emptied for the seek, so its first segment begins with the landing.
        emit(.seekCompleted(request.id, request.item, landed: time, frame: timeline.segments.first?.start))
        return true
    }

    // MARK: Rate

    /// Adapts the feeder's limits and the rendered audio to a change of the rate or of the pitch algorithm.
    func rateDidChange(from former: EngineSettings) {
        let isAudibleChange = settings.pitchAlgorithm != former.pitchAlgorithm && abs(former.effectiveRate) != 1
        setQueueLimits()
        if output.isOpen, !timeline.segments.isEmpty {
            if isAudibleChange || settings.effectiveRate != former.effectiveRate { renderAgain() }
        } else if settings.isReverse != former.isReverse {
            turnOrders()
        }
    }

    /// Orders audio again after a change of the direction, if no audio was rendered or no output is open. Otherwise `renderAgain` does this.
    private func turnOrders() {
        guard !orders.isAwaitingFirstOrder, let item = lineup.current, facts.isOpen(item) else { return }
        if orders.resumePoint == nil, !timeline.segments.isEmpty { orders.orderSeek(delivery) } else { orderAgain() }
    }

    /// Orders audio again that was ordered and has not been rendered: from the resume point, or the current item's first audio.
    func orderAgain() {
        if let point = orders.resumePoint { return readAgain(point.item, from: point.position) }
        guard !orders.isAwaitingFirstOrder, let item = lineup.current, facts.isOpen(item) else { return }
        orderFirst(item)
    }
}
