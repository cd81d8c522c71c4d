/// Consecutive items that overlap (`Crossfade`).
///
/// The overlap is at most half of either item. On the timeline the next item begins at the start of the overlap; the rest of the former item belongs to the
/// audio of the next one. If the next item does not arrive in time, they join without overlap.
extension Engine {
    private var crossfadeFrames: Int { Int(settings.crossfade * Double(output.format.sampleRate)) }

    /// Looks far enough ahead of an item's audio to overlap its end with what follows. False if more has to be read first.
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
            if let piece = reading.next() {
                if case .truncate(let last) = piece { cut(after: last) } else { append(piece) }
            } else {
                // Audio now is worth more than an overlap later. Offline there is time to wait.
                return output.isForEars && isRunningLow
            }
        }
    }

    private var isRunningLow: Bool {
        (output.ring?.endFrame ?? 0) - timeline.heardFrame < Int64(max(output.format.sampleRate / 4, plan.primeFrames))
    }
}
