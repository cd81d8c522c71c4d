/// The crossfade of consecutive items (`CrossfadeMix`). The `Tape` keeps the unmixed end of the item, so that the mix can be undone.
///
/// The overlap is at most half of either item; on the timeline, the next item begins at the start of the overlap. If the next item's audio does not
/// arrive in time, both items are joined without overlap.
extension Engine {
    private var crossfadeFrames: Int { Int(settings.crossfade * Double(output.format.sampleRate)) }

    /// Decides once, before the overlap is rendered, whether the item's end is mixed with the beginning of the next item, and takes the audio for it
    /// from the feeder. Returns false if rendering has to wait for this audio.
    func prepareCrossfade(of item: ItemID) -> Bool {
        guard settings.crossfade > 0, !settings.isReverse, tape.crossfadeDecidedFor != item, !tape.isCrossfaded(from: item), hasFollower(item)
        else {
            return true
        }
        while true {
            if let end = tape.end(of: item) {
                var frames = min(crossfadeFrames, end.framesBefore, Int(clamping: end.position / 2))
                if let next = end.next {
                    if let length = facts.length(of: next.item) { frames = min(frames, Int(clamping: length / 2)) }
                    if next.hasEnd { frames = min(frames, next.frames / 2) }
                    if frames == 0 || next.frames >= frames {
                        tape.crossfade(from: item, frames: frames, gain: gain(of: item) / max(gain(of: next.item), 1e-6))
                        return true
                    }
                }
            } else if tape.framesAhead > crossfadeFrames + output.format.sampleRate {
                return true
            }
            // On a real device uninterrupted audio is more important than the crossfade; offline rendering can wait.
            guard take() else { return output.fadesCuts && isRunningLow }
        }
    }

    private var isRunningLow: Bool {
        (output.ring?.endFrame ?? 0) - timeline.heardFrame < Int64(max(output.format.sampleRate / 4, plan.primeFrames))
    }
}
