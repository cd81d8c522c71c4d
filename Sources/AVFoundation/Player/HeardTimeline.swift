import CoreMedia
import Platform
import PlaybackEngine

/// The frames of a player's current item that are heard at a host time and later. The heard frames are determined by a snapshot of the
/// engine's timeline and by the player's rule for the heard position (`HeardPosition.Rule`). A player derives all facts about the heard
/// position from a `HeardTimeline`.
struct HeardTimeline {
    /// The current item of the player.
    let item: ItemID
    private let rule: HeardPosition.Rule
    private let snapshot: HeardClock.Snapshot
    /// The frame that is heard, which may belong to another item than the current item.
    let instant: PlaybackInstant

    private var timeline: Timeline { snapshot.timeline }

    /// - Parameter time: A host time near the time of the snapshot.
    init(_ snapshot: HeardClock.Snapshot, of item: ItemID, by rule: HeardPosition.Rule, at time: HostTime) {
        self.item = item
        self.rule = rule
        self.snapshot = snapshot
        instant = snapshot.reading(at: time)
    }

    /// Whether the device runs. If the device is stopped, the host time of a frame cannot be predicted.
    var isRunning: Bool { snapshot.isRunning }
    /// The sample rate of the output, in frames per second.
    var sampleRate: Int { timeline.sampleRate }

    // MARK: The position

    /// The position of the current item, and whether audio of the item is heard.
    enum Position {
        /// Audio of the current item is heard.
        case live(Live)
        /// The position of the current item does not advance, and stays at a media time.
        case resting(CMTime)
        /// The engine's timeline has the landing of a seek that the player has not processed. The last reported position is still valid (R-SEEK-11).
        case unchanged
    }
    /// Whether the timeline is ahead of the player: it has the landing of a seek that the player has not processed.
    var isAhead: Bool { instant.item == item && timeline.landedSeek > rule.landedSeek }

    /// A heard position of the current item.
    struct Live {
        var instant: PlaybackInstant
        /// Whether the audio is heard in the forward direction.
        var isForward: Bool
    }

    var position: Position {
        if isAhead { return .unchanged }
        if rule.isFixed || instant.frame < rule.floor { return .resting(rule.rest) }
        if instant.item == item {
            let segment = timeline.segment(at: instant.frame) ?? timeline.segments.first
            return .live(Live(instant: instant, isForward: segment.map { $0.rate > 0 } ?? true))
        }
        // If another item is heard already, or no audio is heard yet, the current item has no heard frame. If the end of the current item has been
        // heard, the position of the item is its end.
        guard let last = timeline.segments.last(where: { $0.item == item && $0.start <= instant.frame }), let end = last.end, end >= rule.floor else {
            return .resting(rule.rest)
        }
        return .resting(timeline.time(ofMediaFrame: last.mediaFrame(at: end)))
    }

    /// The motion of the heard position: the position is `time` at `hostTime`, and advances at `rate` after `hostTime`; nil if the position does not
    /// advance. The host time of the motion is slightly in the future if audio has been rendered but is not heard yet.
    var motion: (time: CMTime, hostTime: HostTime, rate: Double)? {
        guard let segment = newestMotion, segment.end ?? .max > rule.floor else { return nil }
        let frame = max(instant.frame, segment.start)
        guard frame < segment.end ?? .max, frame < timeline.written, let hostTime = snapshot.hostTime(ofFrame: frame) else { return nil }
        return (timeline.time(ofMediaFrame: segment.mediaFrame(at: frame)), hostTime, segment.rate)
    }

    // MARK: The item's audio

    /// The newest segment of the item's present motion. The motion does not end at a turn of a loop that has not been heard yet, so segments after
    /// such a turn are skipped.
    private var newestMotion: Timeline.Segment? {
        guard var index = timeline.segments.lastIndex(where: { $0.item == item }) else { return nil }
        while index > 0, timeline.segments[index].isJoined, timeline.segments[index].start > instant.frame,
            timeline.segments[index - 1].item == item
        {
            index -= 1
        }
        return timeline.segments[index]
    }

    /// Returns the turns of a loop that were heard after output frame `frame`, in order, each with the media position before it (`from`)
    /// and after it (`to`).
    func turns(after frame: Int64) -> [(from: CMTime, to: CMTime)] {
        zip(timeline.segments, timeline.segments.dropFirst()).compactMap { former, segment in
            guard segment.isJoined, segment.item == item, former.item == item, segment.start > frame, segment.start <= instant.frame else {
                return nil
            }
            return (timeline.time(ofMediaFrame: former.mediaFrame(at: segment.start)), timeline.time(ofMediaFrame: segment.mediaStart))
        }
    }

    /// The output frame of the next turn of a loop; nil if no further turn is rendered.
    var nextTurn: Int64? { timeline.segments.first { $0.isJoined && $0.item == item && $0.start > instant.frame }?.start }

    /// Whether rendered audio of the item has not been heard yet.
    var hasUnheard: Bool {
        timeline.segments.contains { $0.item == item && $0.end ?? timeline.written > max(instant.frame, rule.floor) }
    }

    // MARK: Marks

    /// Returns the event of the current item that playback has reached, and the output frame of the next event.
    ///
    /// - Parameter followers: The items that follow the current item, and may be heard before they are current.
    func marks(followers: [ItemID]) -> HeardMarks {
        HeardMarks(timeline, item: item, floor: rule.floor, heard: instant.frame, followers: followers)
    }

    /// Whether `frame` is the end of the audio that is rendered so far, and not the end of a timeline segment, so that the engine may
    /// render more audio.
    func isOpenEnd(_ frame: Int64) -> Bool { frame == timeline.written && !timeline.segments.contains { $0.end == frame } }

    /// Returns the host time at which an output frame will be heard; nil while the device is stopped. The host time is rounded up, so that the frame
    /// has been reached at that time.
    func hostTime(of frame: Int64) -> HostTime? { snapshot.hostTime(ofFrame: frame).map { $0 + 2e-9 } }

    /// Returns the host time at which playback will reach a media frame; nil if the host time cannot be predicted.
    func hostTime(ofMedia media: Double) -> HostTime? {
        for segment in timeline.segments where segment.item == item {
            guard let frame = segment.outputFrame(ofMedia: media), frame <= segment.end ?? .max, frame > instant.frame else { continue }
            return hostTime(of: frame)
        }
        return nil
    }
}

/// The prevention of short steps back of the reported position while the device runs.
///
/// When the engine renders the audio after the playhead again, for example at another rate, the device continues to play the former audio. Until the
/// new audio is published, the position is computed from the former audio, even after the playhead has passed the first frame of the new audio. If
/// the new audio is slower, the first position that is computed from the new audio is smaller than the position before it.
extension HeardTimeline {
    /// The longest step back that is not reported, in seconds of media time. A longer step back has another reason, and is reported at once.
    private static let longestStepBack = 0.05
    /// The maximum age, in seconds of host time, at which the last reported position still limits a new position. The timeline keeps the turns of a
    /// loop (jumps from its end to its start) for longer, so that `limited` can recognise a jump back at such a turn.
    private static let longestLimit = 0.5

    /// Returns the live position `live`. If `live` is a short step back from the reported position `last`, the returned position has the media time
    /// of `last`. A smaller position is not such a step after a turn of a loop, after a change of direction, and while the device is stopped.
    func limited(_ live: Live, by last: Live) -> Live {
        let stepBack = (last.instant.time.seconds - live.instant.time.seconds) * (live.isForward ? 1 : -1)
        guard isRunning, live.isForward == last.isForward, live.instant.item == last.instant.item, stepBack > 0, stepBack <= Self.longestStepBack,
            live.instant.hostTime - last.instant.hostTime <= Self.longestLimit, turns(after: last.instant.frame).isEmpty
        else {
            return live
        }
        var limited = live
        limited.instant.time = last.instant.time
        // With the greater frame, a later call recognises whether a loop has turned since then.
        limited.instant.frame = max(live.instant.frame, last.instant.frame)
        return limited
    }
}
