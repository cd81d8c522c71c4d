/// The loop of the current item. Playback continues without a gap at each turn (the jump from the loop's end to its start).
///
/// The feeder reads the audio after a turn (`Feeder.turn`) ahead like all audio. When the loop changes, rendered audio is withdrawn only if some of
/// it is invalid (in reverse playback always), and the decoded audio that remains valid is kept. Rendering may then continue in any pass that the
/// tape still contains, because all passes have the same audio.
extension Engine {
    func setLoop(_ range: LoopRange?, of item: ItemID) {
        orders.setLoop(range, of: item)
        guard item == heardItem else { return }
        guard facts.isOpen(item), !orders.isAwaitingFirstOrder, output.isOpen, tape.writeEnd != nil else { return discardTurns(of: item) }
        let loop = LoopFrames(range, sampleRate: output.format.sampleRate)
        let former = tape.writeEnd
        if settings.isReverse || changesRenderedAudio(of: item, loop) { guard takeBack() else { return discardTurns(of: item) } }
        // If `takeBack` has sent an order, the feeder carries it out with the new loop already.
        if tape.writeEnd === former { readOn(item, loop) }
        discardTurns(of: item)
        resumeRendering()
    }

    /// Discards the turns of the former loop that are not heard yet, because they will not be heard.
    private func discardTurns(of item: ItemID) { facts.tap(of: item)?.discardTurns(after: timeline.turns(of: item)) }

    /// Whether rendered audio follows a joint (such as a turn of the former loop), or the end of the new loop.
    private func changesRenderedAudio(of item: ItemID, _ loop: LoopFrames?) -> Bool {
        let (heard, next) = (timeline.heardFrame, nextOutputFrame)
        return timeline.segments.contains { segment in
            if segment.isJoined, segment.start > heard { return true }
            guard segment.item == item, let loop, let turn = segment.outputFrame(ofMedia: Double(loop.end)) else { return false }
            return turn > heard && turn < segment.end ?? next
        }
    }

    /// Keeps the decoded audio that is valid, and orders what follows, joined without a gap.
    ///
    /// If the tape has no audio of the item, an order that has not arrived (`resumePoint`) is repeated with the new loop, or the item's first audio
    /// is ordered again if nothing was rendered. Otherwise no audio of the item follows.
    private func readOn(_ item: ItemID, _ loop: LoopFrames?) {
        let (rest, joint): (Int64, FeedOrder.Joint)
        switch tape.cut(item, atLoopEnd: loop?.end) {
        case .atLoopEnd: (rest, joint) = (loop?.start ?? 0, .turn)
        case .open(let position): (rest, joint) = (position, .samePass)
        case .complete: return
        case nil:
            if let point = orders.resumePoint {
                readAgain(point.item, from: point.position)
            } else if timeline.segments.isEmpty {
                orderFirst(item)
            }
            return
        }
        orders.orderRest(item, from: rest, delivery, joint: joint)
    }
}
