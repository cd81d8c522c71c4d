public import CoreMedia
import PlaybackEngine

extension AVQueuePlayer {
    /// The duration for which the end of an item and the start of the next item overlap, with an equal-power crossfade, within
    /// `CrossfadeDuration.range`. A duration of 0 (the default) joins items without a gap. Apple's API has no property `crossfadeDuration`.
    ///
    /// A crossfade overlaps at most half of either item. At the start of the overlap the next item becomes current, and the former item counts as
    /// played to its end. Because the former item ends early, its last reported time is before its duration. A change of the duration applies to all
    /// crossfades that have not been rendered yet. Audio is rendered up to two seconds before it is heard. A crossfade duration that is not numeric
    /// becomes 0.
    public var crossfadeDuration: CMTime {
        get {
            demandMainQueue()
            return CMTime(seconds: engine.settings.crossfade, preferredTimescale: 1000)
        }
        set {
            demandMainQueue()
            configure { $0.crossfade = newValue.isNumeric ? CrossfadeDuration.limited(newValue.seconds) : 0 }
        }
    }
}
