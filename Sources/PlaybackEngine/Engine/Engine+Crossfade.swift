/// Consecutive items that overlap (`Crossfade`).
///
/// The overlap is at most half of either item. On the timeline the next item begins at the start of the overlap, and the rest of the former item
/// belongs to the next one. If the audio of the next item does not arrive in time, the items are joined without overlap.
extension Engine {
    private var crossfadeFrames: Int { Int(settings.crossfade * Double(output.format.sampleRate)) }

    /// Takes enough audio from the feeder to overlap the end of an item with the item that follows it. Returns false if more audio has to arrive
    /// first.
    func prepareCrossfade(of item: ItemID) -> Bool {
        guard settings.crossfade > 0, !settings.isReverse, track.crossfadeDecidedFor != item, !track.isCrossfaded(from: item), hasFollower(item)
        else {
            return true
        }
        while true {
            if let end = track.end(of: item) {
                var frames = min(crossfadeFrames, end.framesBefore, Int(clamping: end.position / 2))
                if let next = end.next {
                    if let length = facts.length(of: next.item) { frames = min(frames, Int(clamping: length / 2)) }
                    if next.hasEnd { frames = min(frames, next.frames / 2) }
                    if frames == 0 || next.frames >= frames {
                        if frames > 0 { track.crossfade(from: item, frames: frames, gain: gain(of: item) / max(gain(of: next.item), 1e-6)) }
                        track.noteCrossfadeDecided(for: item)
                        return true
                    }
                }
            } else if track.framesAhead > crossfadeFrames + output.format.sampleRate {
                return true
            }
            if let element = reading.next() {
                if case .truncate(let last) = element { cut(after: last) } else { append(element) }
            } else {
                // Uninterrupted audio is more important than an overlap. Offline rendering can wait for the overlap.
                return output.isForEars && isRunningLow
            }
        }
    }

    private var isRunningLow: Bool {
        (output.ring?.endFrame ?? 0) - timeline.heardFrame < Int64(max(output.format.sampleRate / 4, plan.primeFrames))
    }
}
