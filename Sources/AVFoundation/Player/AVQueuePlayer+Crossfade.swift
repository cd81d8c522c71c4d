public import CoreMedia
import PlaybackEngine

extension AVQueuePlayer {
    /// The duration for which the end of an item and the start of the next overlap, with an equal-power crossfade, within `CrossfadeDuration.range`.
    /// 0 (the default) joins items without a gap. Not in Apple's vocabulary.
    ///
    /// The overlap is at most half of either item. At the start of the overlap the next item becomes current, and the former item has played to its
    /// end. So the last reported time of the former item is before its duration. A change applies to all overlaps that have not been rendered yet.
    /// Audio is rendered up to two seconds before it is heard. A time that is not numeric becomes 0.
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
