/// Items are played louder or softer by what their tags say of their loudness.
extension Engine {
    /// Takes note of an item's tags; of those that are no longer known nothing is kept.
    func noteLoudness(of item: ItemID, _ info: MediaInfo) {
        loudnessTags = loudnessTags.filter { formats[$0.key] != nil }
        loudnessTags[item] = LoudnessTags(info)
    }

    /// Takes effect at once: what the device has not taken is rendered again, and the one is cross-faded into the other.
    func setLoudness(_ mode: LoudnessMode) {
        guard mode != loudness else { return }
        let former = loudness
        loudness = mode
        let isHeard = timeline.segments.contains { segment in
            loudnessTags[segment.item].map { $0.factor(former) != $0.factor(mode) } ?? false
        }
        guard isHeard, sink != nil else { return }
        renderAgain()
    }

    /// What the sound of an item is multiplied by: exactly 1 where nothing is to change.
    func gain(of item: ItemID) -> Float { loudnessTags[item]?.factor(loudness) ?? 1 }
}
