/// The loop of the current item. At each turn from the end of the loop to its start, the audio continues without a gap.
///
/// The feeder reads the audio after a turn (`Feeder.turn`), so that it is decoded ahead like all audio. If the loop is set or changed, some audio is
/// already decoded, and perhaps rendered. In forward playback, rendered audio is withdrawn only if some of it is invalid with the new loop; in
/// reverse playback, it is always withdrawn. The decoded audio that remains valid is kept, and the audio after it is ordered again.
///
/// After frames were withdrawn, rendering may continue in any pass through the loop that the track still contains, because all passes have the same
/// audio.
extension Engine {
    func setLoop(_ range: LoopRange?, of item: ItemID) {
        reading.setLoop(range, of: item)
        guard item == heardItem else { return }
        guard facts.isOpen(item), !reading.isAwaitingFirstOrder, output.isOpen, reading.generation != 0 else { return discardTurns(of: item) }
        let loop = LoopFrames(range, sampleRate: output.format.sampleRate)
        let generation = reading.lastGeneration
        if settings.isReverse || changesRenderedAudio(of: item, loop) { guard takeBack() else { return discardTurns(of: item) } }
        // If `takeBack` has ordered audio from the feeder, that order already has the new loop, and `readOn` is not needed.
        if reading.lastGeneration == generation { readOn(item, loop) }
        discardTurns(of: item)
        resumeRendering()
    }

    /// Tells the listeners of an item that the turns of the former loop that are not heard yet will not be heard.
    private func discardTurns(of item: ItemID) { facts.tap(of: item)?.discardTurns(after: timeline.turns(of: item)) }

    /// Whether audio that is rendered and not yet heard may be invalid with the new loop: audio after a joint (such as a turn of the former loop), or
    /// audio after the end of the new loop.
    private func changesRenderedAudio(of item: ItemID, _ loop: LoopFrames?) -> Bool {
        let (heard, next) = (timeline.heardFrame, nextOutputFrame)
        return timeline.segments.contains { segment in
            if segment.isJoined, segment.start > heard { return true }
            guard segment.item == item, let loop, let turn = segment.outputFrame(ofMedia: Double(loop.end)) else { return false }
            return turn > heard && turn < segment.end ?? next
        }
    }

    /// Keeps the decoded audio that is valid with the new loop, and orders the audio after it from the feeder. The ordered audio is joined to the
    /// kept audio without a gap, also at a turn of the loop.
    ///
    /// If the track has no audio of the item, the ordered audio has nothing to follow. Then there are three cases. If audio was ordered again and has
    /// not arrived (`resumePoint`), it is ordered once more, with the new loop. If nothing was rendered, the item's first audio is ordered again.
    /// Otherwise no audio of the item follows the rendered audio, and nothing is ordered.
    private func readOn(_ item: ItemID, _ loop: LoopFrames?) {
        let (rest, joint): (Int64, FeedOrder.Joint)
        switch track.cut(item, atLoopEnd: loop?.end) {
        case .atLoopEnd: (rest, joint) = (loop?.start ?? 0, .turn)
        case .open(let position): (rest, joint) = (position, .samePass)
        case .complete: return
        case nil:
            if let point = reading.resumePoint {
                readAgain(point.item, from: point.position)
            } else if timeline.segments.isEmpty {
                track.removeAll()
                reading.discard()
                orderFirst(item)
            }
            return
        }
        reading.orderRest(item, from: rest, delivery, joint: joint)
    }
}
