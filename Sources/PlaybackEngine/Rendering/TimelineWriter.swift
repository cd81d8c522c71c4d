/// Updates the timeline as audio is rendered, withdrawn and rendered again, and publishes it. Owned by the engine's thread.
final class TimelineWriter {
    /// The timeline of the audio in the ring. Other threads see it after the next `publish`.
    private(set) var value = Timeline()
    /// The clock that returns the position heard, by the timeline that was published last.
    let clock: PlaybackClock

    init(clock: PlaybackClock) { self.clock = clock }

    /// The segments, the newest last.
    var segments: [Timeline.Segment] { value.segments }
    /// The frame that is heard now.
    var heardFrame: Int64 { clock.now().frame }
    /// Whether all rendered audio has been heard, and its end was an item's end.
    var hasHeardEnd: Bool {
        guard let last = segments.last, last.reachesEndOfItem, let end = last.end else { return false }
        return heardFrame >= end
    }

    /// Publishes the timeline to other threads.
    func publish(written: Int64?, sampleRate: Int) {
        value.written = written ?? value.written
        value.sampleRate = sampleRate
        clock.publish(value)
    }

    // MARK: Rendering

    /// Begins a segment of an item at an output frame, which ends the preceding segment.
    func begin(_ item: ItemID, media: Double, rate: Double, at frame: Int64) {
        if let last = value.segments.indices.last, value.segments[last].end == nil { value.segments[last].end = frame }
        value.segments.append(Timeline.Segment(start: frame, item: item, mediaStart: media, rate: rate))
    }

    /// Ends the newest segment at an output frame, if it belongs to this item.
    func end(_ item: ItemID, at frame: Int64, reachesEndOfItem: Bool) {
        guard let last = value.segments.indices.last, value.segments[last].item == item else { return }
        value.segments[last].end = frame
        value.segments[last].reachesEndOfItem = reachesEndOfItem
    }

    /// Records the newest seek whose audio is rendered.
    func noteLanding(of seek: UInt64) { value.landedSeek = seek }

    /// Discards the segments that ended before an output frame.
    func trim(before frame: Int64) {
        while value.segments.count > 1, value.segments[1].start <= frame { value.segments.removeFirst() }
    }

    // MARK: Withdrawn audio

    func removeAll() { value.segments = [] }

    /// Discards the segments that begin at or after an output frame.
    func removeAll(from frame: Int64) { value.segments.removeAll { $0.start >= frame } }

    /// Returns to a former timeline.
    func restore(_ former: Timeline) { value = former }

    /// Ends the timeline at an output frame: the audio from there on is not heard as it was rendered. Returns the segment whose audio is due there,
    /// nil if there is none.
    func rewind(to frame: Int64) -> Timeline.Segment? {
        // A frame before all segments precedes a jump: the audio begins with the first segment.
        guard let segment = stretch(soundingFrom: frame) else { return nil }
        value.segments.removeAll { $0.start >= frame && $0 != segment }
        if let end = segment.end, end <= frame { return segment }
        let last = value.segments.count - 1
        if segment.start >= frame {
            value.segments.removeLast()
        } else {
            value.segments[last].end = frame
            value.segments[last].reachesEndOfItem = false
        }
        return segment
    }

    /// Keeps the position known while the feeder reads: if the timeline is empty, it rests at this position.
    func rest(on item: ItemID, media: Double, rate: Double, at frame: Int64) {
        guard value.segments.isEmpty else { return }
        value.segments = [Timeline.Segment(start: frame, item: item, mediaStart: media, rate: rate, end: frame)]
    }

    /// Returns the segment whose audio is due at an output frame.
    ///
    /// That is the segment that contains the frame. In the lead-in of a jump it is the segment that the jump begins, even if an earlier segment of
    /// the same item, which the jump ended, is still known.
    private func stretch(soundingFrom frame: Int64) -> Timeline.Segment? {
        guard let before = value.segment(at: frame) else { return segments.first }
        guard let end = before.end, end <= frame, let next = segments.first(where: { $0.start > frame }), next.item == before.item else {
            return before
        }
        return next
    }
}
