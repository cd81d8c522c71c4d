extension PlayerState.Anchor {
    /// Returns the position at the host time `now`, according to the anchor. If the anchor's time is inside the loop `loop`, the position returns to
    /// the start of the loop at its end.
    func position(at now: Double, in loop: ItemDetails.TimeRange?) -> Double {
        let position = time + (now - hostTime) * rate
        guard let loop, loop.end > loop.start else { return position }
        let length = loop.end - loop.start
        if rate > 0, time < loop.end, position >= loop.end { return loop.start + (position - loop.start).truncatingRemainder(dividingBy: length) }
        if rate < 0, time > loop.start, position <= loop.start { return loop.end - (loop.end - position).truncatingRemainder(dividingBy: length) }
        return position
    }
}
