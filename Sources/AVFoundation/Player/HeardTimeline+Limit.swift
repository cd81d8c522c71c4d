import CoreMedia
import Platform
import PlaybackEngine

/// The limit that keeps the reported position of a running device from a short step back.
///
/// A device continues while the engine renders the audio after its playhead again, for example at another rate. During that time the position is
/// computed from the former audio, beyond the first frame of the new audio. If the new audio is slower, the position computed from it is smaller.
extension HeardTimeline {
    /// The longest step back that is not reported, in seconds of media time. A longer one has another reason, and is reported at once.
    private static let longestStepBack = 0.05
    /// The longest time after the last reported position in which that position is a limit, in seconds of host time. The turns of a loop remain on
    /// the timeline for longer than that.
    private static let longestLimit = 0.5

    /// Returns a live position, or the position `last` if the live position is a short step back from it. A turn of a loop is no such step, and
    /// neither are a change of the direction and the position of a stopped device.
    func limited(_ live: Live, by last: Live) -> Live {
        let stepBack = (last.instant.time.seconds - live.instant.time.seconds) * (live.isForward ? 1 : -1)
        guard isRunning, live.isForward == last.isForward, live.instant.item == last.instant.item,
            live.corrections == last.corrections, stepBack > 0, stepBack <= Self.longestStepBack,
            live.instant.hostTime - last.instant.hostTime <= Self.longestLimit, turns(after: last.instant.frame).isEmpty
        else {
            return live
        }
        var limited = live
        limited.instant.time = last.instant.time
        // The greater frame shows later whether a loop has turned since then.
        limited.instant.frame = max(live.instant.frame, last.instant.frame)
        return limited
    }
}
