public import CoreMedia
import PlaybackEngine

extension AVQueuePlayer {
    /// The duration for which the end of an item and the start of the next overlap, with an equal-power crossfade, within `CrossfadeDuration.range`.
    /// 0 (the default) joins items without a gap. Not in Apple's vocabulary.
    ///
    /// The overlap is at most half of either item. At its start the next item becomes current, and the former one has played to its end; so the last
    /// reported time of the former item is before its duration. A change applies to joints that have not been rendered yet. Rendering is up to two
    /// seconds ahead of what is heard. A time that is not numeric becomes 0.
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
