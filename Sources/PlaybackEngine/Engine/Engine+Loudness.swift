/// Items are played louder or softer by what their tags say of their loudness.
extension Engine {
    /// Takes note of an item's tags; of those that are no longer known nothing is kept.
    func noteLoudness(of item: ItemID, _ info: MediaInfo) {
        loudnessTags = loudnessTags.filter { formats[$0.key] != nil }
        loudnessTags[item] = LoudnessTags(info)
    }

    /// Takes effect at once: what the device has not taken is rendered again, and the gain glides to where it is to be.
    func setLoudness(_ mode: LoudnessMode) {
        guard mode != loudness else { return }
        let former = loudness
        loudness = mode
        let isHeard = timeline.segments.contains { segment in
            loudnessTags[segment.item].map { $0.factor(former) != $0.factor(mode) } ?? false
        }
        guard isHeard, sink != nil, let item = heardItem else { return }
        gainToGlideFrom = loudnessTags[item]?.factor(former) ?? 1
        renderAgain()
    }

    /// Gives the renderer the gain of the item whose sound is next: exactly 1 where nothing is to change.
    func prepareGain(of item: ItemID) {
        renderer.gain.set(loudnessTags[item]?.factor(loudness) ?? 1)
        guard let former = gainToGlideFrom else { return }
        gainToGlideFrom = nil
        renderer.gain.glide(from: former, frames: format.sampleRate / 50)
    }
}
