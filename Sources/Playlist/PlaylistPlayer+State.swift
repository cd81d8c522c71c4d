import AVFoundation
import CoreMedia
import PlaybackEngine

/// The one state that is told.
extension PlaylistPlayer {
    public var state: PlayerState {
        var state = deriveState()
        let told = withLastChange(published, state.lastChange)
        let hasCause = cause.reason != PlayerState.Reason.none.rawValue
        state.lastChange = state == told || (!hasCause && isClockOnly(state, told)) ? published.lastChange : cause
        return state
    }

    func withLastChange(_ state: PlayerState, _ change: PlayerState.Change) -> PlayerState {
        var copy = state
        copy.lastChange = change
        return copy
    }

    /// Something changed for this reason. Inside a command the command's own reason stays; `onlyOwn` then says that it is a consequence of it.
    func note(_ reason: PlayerState.Reason, onlyOwn: Bool = false) {
        if origin == nil {
            // What happens by itself in one turn: the first cause counts, not its consequences.
            if !(onlyOwn && isUpdateScheduled && cause.reason != PlayerState.Reason.none.rawValue) {
                cause = PlayerState.Change(reason: reason.rawValue, origin: "player")
            }
        } else if !onlyOwn, let origin {
            cause = PlayerState.Change(reason: reason.rawValue, origin: origin)
        }
        scheduleUpdate()
    }

    /// Tells the state once this turn is over.
    func scheduleUpdate() {
        guard !isUpdateScheduled, origin == nil else { return }
        isUpdateScheduled = true
        environment.scheduler.async { [weak self] in
            guard let self, isUpdateScheduled else { return }
            update()
        }
    }

    private func isClockOnly(_ new: PlayerState, _ told: PlayerState) -> Bool {
        var same = told
        same.anchor = new.anchor
        return new == same
    }

    /// Tells the state where it has changed.
    func update() {
        isUpdateScheduled = false
        let new = deriveState()
        let told = withLastChange(published, new.lastChange)
        if let summary = book.takeChangedSummary() { notify(.queueDidChange(summary)) }
        if new != told {
            if cause.reason == PlayerState.Reason.none.rawValue {
                if isClockOnly(new, told) {
                    // The clock was set right, and nothing else: who did what before still says why things are as they are.
                    cause = published.lastChange
                } else if new.anchor != told.anchor {
                    cause = PlayerState.Change(reason: PlayerState.Reason.playing.rawValue, origin: "player")
                }
            }
            isAnchorStale = false
            published = withLastChange(new, cause)
            observers.notify(.state(published))
        }
        cause = PlayerState.Change(reason: PlayerState.Reason.none.rawValue, origin: "player")
        answerWaiters()
        armAnchorCheck()
    }

    func deriveState() -> PlayerState {
        var state = PlayerState()
        state.status = player.status.remoteName
        state.rate = player.requestedRate
        state.defaultRate = player.requestedDefaultRate
        state.timeControlStatus = player.timeControlStatus.remoteName
        state.reasonForWaitingToPlay = player.reasonForWaitingToPlay?.remoteName ?? "none"
        state.ended = hasEnded
        state.anchor = deriveAnchor()
        state.volume = volume
        state.isMuted = player.isMuted
        state.automaticallyWaitsToMinimizeStalling = player.automaticallyWaitsToMinimizeStalling
        state.actionAtItemEnd = actionAtItemEnd.remoteName
        state.audioTimePitchAlgorithm = pitchAlgorithm.remoteName
        state.repeatMode = playlist.repeatMode.rawValue
        state.isShuffled = playlist.isShuffled
        state.crossfadeDuration = player.crossfadeDuration.seconds
        state.loudnessNormalization = player.loudnessNormalization.rawValue
        state.sleepTimer = sleepTimer
        if let output = player.output { state.output = PlayerState.Output(kind: output.kind, id: output.id, name: output.name) }
        state.session = PlayerState.Session(
            category: player.session.category.remoteName, isActive: player.session.isActive, isInterrupted: player.session.isInterrupted)
        state.playlist = PlayerState.PlaylistSummary(
            revision: playlist.revision, count: playlist.entries.count, index: playlist.currentIndex ?? -1)
        state.currentItem = playlist.currentID.flatMap(knownItem)
        return state
    }

    /// The last entry has been heard to its end.
    var hasEnded: Bool { player.isAtEnd && !isAtStart && player.requestedRate == 0 && book.following(1).isEmpty }

    /// The anchor as told, for as long as it foretells what is heard.
    func deriveAnchor() -> PlayerState.Anchor {
        let motion = player.motion()
        let new = PlayerState.Anchor(time: max(0, motion.time.seconds), hostTime: motion.hostTime.seconds, rate: motion.rate)
        let old = published.anchor
        guard old.rate == new.rate else { return new }
        // A seek on its way: its landing is told once, by itself.
        if player.isSeeking { return old }
        let foretold = old.time + (new.hostTime - old.hostTime) * old.rate
        let isMoving = new.rate != 0
        return abs(foretold - new.time) <= (isMoving && !isAnchorStale ? Self.anchorTolerance : 0) ? old : new
    }

    func armAnchorCheck() {
        guard published.anchor.rate != 0 else {
            anchorCheck?.cancel()
            anchorCheck = nil
            return
        }
        guard anchorCheck == nil else { return }
        anchorCheck = environment.scheduler.schedule(at: environment.clock.now + Self.anchorCheckPeriod) { [weak self] in
            self?.anchorCheck = nil
            self?.update()
        }
    }
}
