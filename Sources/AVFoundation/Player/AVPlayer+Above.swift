package import CoreMedia
package import Platform
package import PlaybackEngine

/// Properties of a player that the target `Playlist` needs and Apple's `AVPlayer` lacks.
extension AVPlayer {
    /// The requested rate as a `Double`. Apple's property `rate` is only a `Float`.
    package var requestedRate: Double {
        get {
            hub.access(.rate)
            return machine.rate
        }
        set {
            MainTurn.perform {
                catchUp()
                sync.cancel()
                apply(.rateRequested(newValue))
            }
        }
    }
    /// The default rate as a `Double`. Apple's property `defaultRate` is only a `Float`.
    package var requestedDefaultRate: Double {
        get {
            hub.access(.defaultRate)
            return machine.defaultRate
        }
        set {
            if newValue != machine.defaultRate { apply(.defaultRateSet(newValue)) }
        }
    }
    /// Whether the end of the current item has been heard, and the position has not changed since.
    package var isAtEnd: Bool { machine.item?.isAtEnd ?? false }
    /// The duration of audio that is rendered and not heard yet, in seconds; nil before the engine has been started.
    package var renderedAhead: Double? {
        guard let snapshot = engine.clock?.snapshot else { return nil }
        let heard = snapshot.reading(at: environment.clock.now).frame
        return Double(max(0, snapshot.timeline.written - heard)) / Double(snapshot.timeline.sampleRate)
    }
    /// Whether a seek of the player is in progress.
    package var isSeeking: Bool { seeks.pending != nil }
    /// The target of the seek in progress; nil if no seek is in progress.
    package var seekTarget: CMTime? { seeks.pending?.target }
    /// Returns the motion of the heard position: the position is `time` at `hostTime`, and advances at `rate` after `hostTime`, until the next
    /// discontinuity. `hostTime` is slightly in the future if audio has been rendered but is not heard yet. Returns nil during playback while the
    /// engine is ahead of the player (`HeardTimeline.isAhead`): the former motion is valid until the player has handled the engine's event.
    package func motion() -> (time: CMTime, hostTime: HostTime, rate: Double)? {
        let instant = position.now()
        let resting = (time: instant.time, hostTime: instant.hostTime, rate: 0.0)
        guard machine.isFlowing else { return resting }
        if machine.isPastEnd { return (instant.time, instant.hostTime, instant.rate) }
        guard let heard = position.timeline() else { return resting }
        return heard.isAhead ? nil : heard.motion ?? resting
    }

    /// Events of a player that are not changes of its properties.
    package enum Notice: Sendable {
        /// The motion of the heard position may have changed.
        case motionMayHaveChanged
        /// The open output failed. After a failure of the output, playback continues on the next output that can be opened.
        case outputLost(PlaybackError)
        /// No output could be opened, and playback has stopped.
        case noOutput(PlaybackError)
    }

    /// Calls the function `body` with each `Notice` of the player, until the returned token is cancelled or released.
    package func observeNotices(_ body: @escaping @MainActor (Notice) -> Void) -> ObservationToken { observers.add(body) }
}
