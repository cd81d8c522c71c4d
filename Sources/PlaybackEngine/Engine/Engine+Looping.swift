/// The loop of the current item, whose turns are joints without a gap.
///
/// The feeder reads the turns (`Feeder.turn`), so that they are decoded ahead like all audio. A new loop concerns audio that is decoded, and perhaps
/// rendered. Rendered audio is withdrawn only if the loop changes it. The decoded audio that remains valid is kept, and the rest is ordered again.
///
/// All turns have the same audio. So after a withdrawal rendering may continue in any turn that is kept.
extension Engine {
    func setLoop(_ range: LoopRange?, of item: ItemID) {
        reading.setLoop(range, of: item)
        guard item == heardItem, facts.isOpen(item), !reading.isAwaitingFirstOrder, output.isOpen, reading.generation != 0 else { return }
        let loop = LoopFrames(range, sampleRate: output.format.sampleRate)
        let generation = reading.lastGeneration
        if settings.isReverse || changesRenderedAudio(of: item, loop) { guard takeBack() else { return } }
        // If the rewinding has ordered audio, that order has the new loop already.
        if reading.lastGeneration == generation { readOn(item, loop) }
        resumeRendering()
    }

    /// Whether audio is rendered that is not heard with the new loop: a turn of the former one, or audio after the new end.
    private func changesRenderedAudio(of item: ItemID, _ loop: LoopFrames?) -> Bool {
        let (heard, next) = (timeline.heardFrame, nextOutputFrame)
        return timeline.segments.contains { segment in
            if segment.isJoined, segment.start > heard { return true }
            guard segment.item == item, let loop, let turn = segment.outputFrame(ofMedia: Double(loop.end)) else { return false }
            return turn > heard && turn < segment.end ?? next
        }
    }

    /// Keeps the decoded audio that the loop leaves valid, and orders what follows it.
    private func readOn(_ item: ItemID, _ loop: LoopFrames?) {
        let rest: Int64
        switch track.cut(item, atLoopEnd: loop?.end) {
        case .atLoopEnd: rest = loop?.start ?? 0
        case .open(let position): rest = position
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
        reading.orderRest(item, from: rest, delivery, isJoined: true)
    }
}
