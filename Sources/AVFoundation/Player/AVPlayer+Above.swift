package import CoreMedia
package import PlaybackEngine

/// Properties for the playlist above the player that Apple's vocabulary lacks.
extension AVPlayer {
    /// The requested rate, in full precision.
    package var requestedRate: Double {
        get {
            hub.access(.rate)
            return machine.rate
        }
        set {
            MainTurn.perform {
                catchUp()
                sync.forget()
                apply(.rateRequested(newValue))
            }
        }
    }
    /// `defaultRate` in full precision.
    package var requestedDefaultRate: Double {
        get {
            hub.access(.defaultRate)
            return machine.defaultRate
        }
        set {
            if newValue != machine.defaultRate { apply(.defaultRateSet(newValue)) }
        }
    }
    /// Whether the current item's end has been heard, and the position has not changed since.
    package var isAtEnd: Bool { machine.item?.isAtEnd ?? false }
    /// The duration of audio that is rendered and not heard yet, in seconds; nil before the engine has been started.
    package var renderedAhead: Double? {
        guard let clock else { return nil }
        let timeline = clock.timeline
        return Double(max(0, timeline.written - clock.now().frame)) / Double(timeline.sampleRate)
    }
    /// Whether a seek is in progress.
    package var isSeeking: Bool { seeks.pending != nil }
    /// Returns the motion of the heard position: at `hostTime` it is `time`, and from then on it advances at `rate` until the next discontinuity.
    /// `hostTime` is slightly in the future if audio has been rendered but is not heard yet.
    package func motion() -> (time: CMTime, hostTime: HostTime, rate: Double) {
        let instant = position.now()
        let resting = (instant.time, instant.hostTime, 0.0)
        guard machine.isFlowing else { return resting }
        if machine.isPastEnd { return (instant.time, instant.hostTime, instant.rate) }
        guard let clock, clock.isRunning, let item = playingItem else { return resting }
        let timeline = clock.timeline
        let own = timeline.segments.filter { $0.item == item.engineID && ($0.end ?? Int64.max) > position.rule.floor }
        guard let newest = own.last else { return resting }
        let frame = max(instant.frame, newest.start)
        guard frame < newest.end ?? Int64.max, frame < timeline.written, let heard = clock.hostTime(ofFrame: frame) else { return resting }
        return (timeline.time(ofMediaFrame: newest.mediaFrame(at: frame)), heard, newest.rate)
    }
}
