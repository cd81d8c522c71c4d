/// Items are played louder or softer by what their tags say of their loudness.
extension Engine {
    /// Takes effect at once: what the device has not taken is rendered again, and the one is cross-faded into the other.
    func loudnessDidChange(from former: LoudnessMode) {
        guard timeline.segments.contains(where: { facts.differs($0.item, settings.loudness, from: former) }), output.isOpen else { return }
        renderAgain()
    }

    /// What the sound of an item is multiplied by: exactly 1 where nothing is to change.
    func gain(of item: ItemID) -> Float { facts.gain(of: item, settings.loudness) }
}
