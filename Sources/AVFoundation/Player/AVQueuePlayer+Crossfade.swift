public import CoreMedia
import PlaybackEngine

extension AVQueuePlayer {
    /// How long the end of an item and the beginning of the next are heard together, at equal power: 0 (the default) to 12 seconds; 0 joins them
    /// without a gap. Not in Apple's vocabulary.
    ///
    /// At most half of either item. The next item becomes the current one, and the former one has played to its end, when the overlap begins; so the
    /// former one's last reported time lies that much before its duration. It holds for joints that have not been rendered yet, up to two seconds
    /// ahead of what is heard. A time that is not numeric is 0.
    public var crossfadeDuration: CMTime {
        get {
            demandMainQueue()
            return CMTime(seconds: settings.crossfade, preferredTimescale: 1000)
        }
        set {
            demandMainQueue()
            configure { $0.crossfade = newValue.isNumeric ? min(max(0, newValue.seconds), EngineSettings.longestCrossfade) : 0 }
        }
    }
}
