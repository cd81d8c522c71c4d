extension PlayerState.Anchor {
    /// Returns the position that the anchor predicts for a host time, which turns at the ends of a loop that contains the anchor's time.
    func position(at now: Double, in loop: ItemDetails.TimeRange?) -> Double {
        let position = time + (now - hostTime) * rate
        guard let loop, loop.end > loop.start else { return position }
        let length = loop.end - loop.start
        if rate > 0, time < loop.end, position >= loop.end { return loop.start + (position - loop.start).truncatingRemainder(dividingBy: length) }
        if rate < 0, time > loop.start, position <= loop.start { return loop.end - (loop.end - position).truncatingRemainder(dividingBy: length) }
        return position
    }
}
