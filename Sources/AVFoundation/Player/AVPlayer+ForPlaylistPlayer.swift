package import CoreMedia
package import Platform
package import PlaybackEngine

/// The functions that `PlaylistPlayer` needs and Apple's `AVPlayer` lacks.
extension AVPlayer {
    /// The requested rate as a `Double`; Apple's `rate` is a `Float`.
    package nonisolated var requestedRate: Double {
        get { read(.rate) { machine.rate } }
        set {
            turn {
                catchUp()
                sync.cancel()
                apply(.rateRequested(newValue))
            }
        }
    }
    /// The default rate as a `Double`; Apple's `defaultRate` is a `Float`.
    package nonisolated var requestedDefaultRate: Double {
        get { read(.defaultRate) { machine.defaultRate } }
        set {
            turn {
                if newValue != machine.defaultRate { apply(.defaultRateSet(newValue)) }
            }
        }
    }
    /// True if the end has been heard, and the position has not changed since.
    package nonisolated var isAtEnd: Bool { Turn.perform { machine.item?.isAtEnd ?? false } }
    /// The audio that is rendered and not heard yet, in seconds; nil before the engine was started.
    package nonisolated var renderedAhead: Double? {
        guard let snapshot = Turn.perform({ engine.clock })?.snapshot else { return nil }
        let heard = snapshot.reading(at: environment.clock.now).frame
        return Double(max(0, snapshot.timeline.written - heard)) / Double(snapshot.timeline.sampleRate)
    }
    package nonisolated var isSeeking: Bool { Turn.perform { seeks.pending != nil } }
    /// The target of the seek in progress.
    package nonisolated var seekTarget: CMTime? { Turn.perform { seeks.pending?.target } }
    /// The motion of the heard position: it is `time` at `hostTime`, then advances at `rate` until the next discontinuity. `hostTime` is slightly in
    /// the future if audio is rendered but not heard yet. Nil while the engine is ahead of the player (`HeardTimeline.isAhead`), when the former
    /// motion stays valid.
    package nonisolated func motion() -> (time: CMTime, hostTime: HostTime, rate: Double)? { Turn.perform { presentMotion } }

    @Turn var presentMotion: (time: CMTime, hostTime: HostTime, rate: Double)? {
        let instant = position.now()
        let resting = (time: instant.time, hostTime: instant.hostTime, rate: 0.0)
        guard machine.isFlowing else { return resting }
        if machine.isPastEnd { return (instant.time, instant.hostTime, instant.rate) }
        guard let heard = position.timeline() else { return resting }
        return heard.isAhead ? nil : heard.motion ?? resting
    }

    /// An event that is not a change of a property.
    package enum Notice: Sendable {
        case motionMayHaveChanged
        /// The output was lost; playback resumes when it is back.
        case outputLost(PlaybackError)
        /// The output cannot be opened, and none is open.
        case noOutput(PlaybackError)
        /// The chosen output cannot be opened, and the former one continues.
        case outputRefused(PlaybackError)
        /// Another program has changed the volume or the mute, which `volume` and `isMuted` show now.
        case volumeAdopted
    }

    @Turn func notify(_ notice: Notice) {
        if hasNoticeObservers { Turn.enqueueOnMain { [observers] in observers.notify(notice) } }
    }

    /// Calls `body` with each notice on the main queue, until the token is cancelled or released.
    package func observeNotices(_ body: @escaping @MainActor (Notice) -> Void) -> ObservationToken {
        Turn.perform { hasNoticeObservers = true }
        return observers.add(body)
    }
}
