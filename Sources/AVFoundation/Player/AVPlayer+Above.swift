package import CoreMedia
package import PlaybackEngine

/// What a playlist above needs, and Apple's vocabulary does not have.
extension AVPlayer {
    /// The rate asked for, in full precision.
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
    /// The current item's end has been heard, and nothing has moved it since.
    package var isAtEnd: Bool { machine.item?.isAtEnd ?? false }
    /// Seconds of sound that have been rendered and not been heard; nil before anything was opened.
    package var renderedAhead: Double? {
        guard let clock else { return nil }
        let timeline = clock.timeline
        return Double(max(0, timeline.written - clock.now().frame)) / Double(timeline.sampleRate)
    }
    /// A seek is on its way.
    package var isSeeking: Bool { seeks.pending != nil }
    /// How the heard position moves from now on: at `hostTime`, which may lie a little ahead where sound is on its way, it is at `time`, and it
    /// moves at `rate`, until the next discontinuity.
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
