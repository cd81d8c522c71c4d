/// The crossfade of consecutive items: the end of an item is mixed with the beginning of the next item (`CrossfadeMix`). The `Track` makes the mix,
/// and keeps the unmixed end of the item, so that the mix can be undone.
///
/// The overlap (the audio that is mixed) is at most half of either item. On the timeline, the next item begins at the start of the overlap. If the
/// audio of the next item does not arrive in time for a crossfade, the two items are joined without overlap.
extension Engine {
    private var crossfadeFrames: Int { Int(settings.crossfade * Double(output.format.sampleRate)) }

    /// Decides whether the end of an item is mixed with the beginning of the next item, and mixes them if so. Called before each block of an item is
    /// rendered; the decision is taken once, before the overlap is rendered. For the decision, takes audio from the feeder until both parts of the
    /// overlap are decoded. Returns false if rendering has to wait for more audio from the feeder.
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
                // On a real device, uninterrupted audio is more important than the crossfade. Offline rendering can wait for the audio of the
                // crossfade.
                return output.isForEars && isRunningLow
            }
        }
    }

    private var isRunningLow: Bool {
        (output.ring?.endFrame ?? 0) - timeline.heardFrame < Int64(max(output.format.sampleRate / 4, plan.primeFrames))
    }
}
