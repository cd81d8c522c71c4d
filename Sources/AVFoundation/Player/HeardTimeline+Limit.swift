import CoreMedia
import Platform
import PlaybackEngine

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
