extension PlayerState.Anchor {
    /// Returns the position at the host time `now`, according to the anchor. If forward playback from the anchor reaches the end of `loop`, the
    /// position continues at the start of the loop. If backward playback reaches the start, the position continues at the end.
    func position(at now: Double, in loop: ItemDetails.TimeRange?) -> Double {
        let position = time + (now - hostTime) * rate
        guard let loop, loop.end > loop.start else { return position }
        let length = loop.end - loop.start
        if rate > 0, time < loop.end, position >= loop.end { return loop.start + (position - loop.start).truncatingRemainder(dividingBy: length) }
        if rate < 0, time > loop.start, position <= loop.start { return loop.end - (loop.end - position).truncatingRemainder(dividingBy: length) }
        return position
    }
}
