public import CoreMedia
import PlaybackEngine

extension AVQueuePlayer {
    /// How long the end of an item and the beginning of the next are heard together, at equal power, as long as `CrossfadeDuration.range` says;
    /// 0 (the default) joins them without a gap. Not in Apple's vocabulary.
    ///
    /// At most half of either item. The next item becomes the current one, and the former one has played to its end, when the overlap begins; so the
    /// former one's last reported time lies that much before its duration. It holds for joints that have not been rendered yet, up to two seconds
    /// ahead of what is heard. A time that is not numeric is 0.
    public var crossfadeDuration: CMTime {
        get {
            demandMainQueue()
            return CMTime(seconds: crossfade, preferredTimescale: 1000)
        }
        set {
            demandMainQueue()
            crossfade = newValue.isNumeric ? CrossfadeDuration.limited(newValue.seconds) : 0
            post(.setCrossfade(crossfade))
        }
    }
}
