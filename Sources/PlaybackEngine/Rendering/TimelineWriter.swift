/// Updates the timeline when audio is rendered, withdrawn and rendered again, and publishes the timeline. The engine's thread owns the writer.
final class TimelineWriter {
    /// The timeline of the audio in the ring. Other threads see the timeline after the next `publish`.
    private(set) var value = Timeline()
    /// The clock that maps host times to media positions, by the last published timeline.
    let clock: HeardClock
    /// The item that is rendered, and the number of turns of its loops before the audio that is rendered next; nil before the first audio.
    private var turns: (item: ItemID, count: Int)?

    init(clock: HeardClock) { self.clock = clock }

    /// The segments of the timeline, the newest last.
    var segments: [Timeline.Segment] { value.segments }
    /// The number of the output frame that is heard now.
    var heardFrame: Int64 { clock.now().frame }
    /// Whether all rendered audio has been heard, and the last audio was the end of an item.
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

    /// Begins a segment of an item at the output frame `frame`. The preceding segment ends at the same frame.
    ///
    /// - Parameter isTurn: whether a loop turns at the start of the segment.
    func begin(_ item: ItemID, media: Double, rate: Double, at frame: Int64, isJoined: Bool = false, isTurn: Bool = false) {
        if let last = value.segments.indices.last, value.segments[last].end == nil { value.segments[last].end = frame }
        turns = (item, turns(of: item) + (isTurn ? 1 : 0))
        append(Timeline.Segment(start: frame, item: item, mediaStart: media, rate: rate, isJoined: isJoined))
    }

    private func append(_ segment: Timeline.Segment) {
        var segment = segment
        segment.turns = turns(of: segment.item)
        value.segments.append(segment)
    }

    /// Returns the number of turns of an item's loops before the audio of the item that is rendered next, since the item's last start or seek.
    func turns(of item: ItemID) -> Int { turns.flatMap { $0.item == item ? $0.count : nil } ?? 0 }

    /// Ends the newest segment at an output frame, if the segment belongs to `item`.
    func end(_ item: ItemID, at frame: Int64, reachesEndOfItem: Bool) {
        guard let last = value.segments.indices.last, value.segments[last].item == item else { return }
        value.segments[last].end = frame
        value.segments[last].reachesEndOfItem = reachesEndOfItem
    }

    /// Records the number of the newest seek whose audio is rendered.
    func noteLanding(of seek: UInt64) { value.landedSeek = seek }

    /// Discards the segments that ended before an output frame. The newest segment of the timeline is never discarded.
    func trim(before frame: Int64) {
        while value.segments.count > 1, value.segments[1].start <= frame { value.segments.removeFirst() }
    }

    // MARK: Withdrawn audio

    func removeAll() { (value.segments, turns) = ([], nil) }

    /// Discards the segments that begin at or after an output frame.
    func removeAll(from frame: Int64) {
        value.segments.removeAll { $0.start >= frame }
        turns = segments.last.map { ($0.item, $0.turns) }
    }

    /// Converts the media positions to another sample rate of the output: the position at each segment's end, or at output frame `frame` if that is
    /// earlier, is multiplied by `ratio`. No reader needs the positions of earlier frames, because these frames were heard.
    func changeRate(by ratio: Double, at frame: Int64) {
        for index in segments.indices {
            let segment = segments[index]
            let anchor = max(segment.start, min(frame, segment.end ?? frame))
            value.segments[index].mediaStart = segment.mediaFrame(at: anchor) * ratio - Double(anchor - segment.start) * segment.rate
        }
    }

    /// Replaces the timeline by a former timeline, which was recorded before audio was withdrawn.
    func restore(_ former: Timeline) { value = former }

    /// Ends the timeline at an output frame, because the rendered audio from this frame on was withdrawn. Returns the segment from which rendering
    /// continues at the output frame; nil if the timeline is empty.
    func rewind(to frame: Int64) -> Timeline.Segment? {
        guard let segment = stretch(soundingFrom: frame) else { return nil }
        turns = (segment.item, segment.turns)
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

    /// Adds an empty segment at media position `media` (in frames) to an empty timeline, so that the position is known while the feeder reads.
    func rest(on item: ItemID, media: Double, rate: Double, at frame: Int64) {
        guard value.segments.isEmpty else { return }
        append(Timeline.Segment(start: frame, item: item, mediaStart: media, rate: rate, end: frame))
    }

    /// Returns the segment that contains an output frame; nil if the timeline is empty.
    ///
    /// A frame between two segments is in the lead-in of a jump (the fade-in before the first frame of the new segment). For such a frame, returns
    /// the next segment if it has the same item as the preceding one, otherwise the preceding segment. For a frame before all segments, returns the
    /// first segment; for a frame after all of them, the last.
    private func stretch(soundingFrom frame: Int64) -> Timeline.Segment? {
        guard let before = value.segment(at: frame) else { return segments.first }
        guard let end = before.end, end <= frame, let next = segments.first(where: { $0.start > frame }), next.item == before.item else {
            return before
        }
        return next
    }
}
