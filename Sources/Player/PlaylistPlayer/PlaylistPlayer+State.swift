import AVFoundation
import CoreMedia
import Platform
import PlaybackEngine

extension PlaylistPlayer: StateSource {
    public var state: PlayerState { publisher.completed(deriveState()) }

    func stateWillBePublished() {
        if let update = model.takeUpdate(describe) { publisher.send(.queueDidChange(update)) }
    }

    func stateWasPublished() {
        position.noteStatePublished()
        loadWaiters.answer(progress(of:))
        saver?.update()
    }

    func deriveState() -> PlayerState {
        var state = PlayerState()
        state.status = player.status
        state.rate = player.requestedRate
        state.defaultRate = player.requestedDefaultRate
        state.timeControlStatus = player.timeControlStatus
        let isAway = loader.current.map { absentMedia.isAway($0.id) } ?? false
        state.reasonForWaitingToPlay = player.reasonForWaitingToPlay.map { isAway ? .mediaUnavailable : $0 }
        state.ended = hasEnded
        state.anchor = currentAnchor
        state.volume = volume
        state.isMuted = player.isMuted
        state.automaticallyWaitsToMinimizeStalling = player.automaticallyWaitsToMinimizeStalling
        state.actionAtItemEnd = loader.actionAtItemEnd
        state.audioTimePitchAlgorithm = loader.pitchAlgorithm.engineAlgorithm
        state.repeatMode = playlist.repeatMode
        state.isShuffled = playlist.isShuffled
        state.isConsuming = playlist.isConsuming
        state.crossfadeDuration = player.crossfadeDuration.seconds
        state.loudnessNormalization = player.loudnessNormalization
        state.sleepTimer = sleepTimer.state
        state.fade = volumeFade.state
        state.loop = loop
        state.scheduledStart = scheduledPlay.state
        if let output = player.output {
            state.output = PlayerState.Output(kind: OutputKind(rawValue: output.kind), id: output.id, name: output.name)
        }
        state.output.error = player.outputError.map(PlayerState.Failure.init(describing:))
        state.audioSession = PlayerState.AudioSessionSummary(
            category: player.session.category, isActive: player.session.isActive, isInterrupted: player.session.isInterrupted,
            silence: player.silenceReason)
        state.isPositionEstimated = loader.current?.item.isPositionEstimated ?? false
        if let progress = loader.current?.item.seekProgress, let target = player.seekTarget {
            state.seek = PlayerState.Seek(target: target.seconds, progress: (progress * 100).rounded() / 100)
        }
        state.network = loader.current?.item.connectionWait.map(PlayerState.Network.init)
        state.queue = PlayerState.QueuePosition(
            revision: playlist.revision, count: playlist.entries.count, index: playlist.currentIndex ?? -1)
        state.persistence = persistence
        state.currentItem = playlist.currentID.flatMap(knownItem)
        state.signalPath = signalPath(state)
        state.nextEntry = model.nextID.flatMap(playlist.entry).map { PlayerState.NextEntry(describe($0)) }
        return state
    }

    func describe(_ entry: PlaylistEntry) -> PlayerState.Item { model.describe(entry, open: loader.item(of: entry.id)) }

    /// The published anchor while it predicts the heard position, otherwise a new one.
    private var currentAnchor: PlayerState.Anchor {
        guard let motion = player.motion() else { return formerAnchor }
        let new = PlayerState.Anchor(time: max(0, motion.time.seconds), hostTime: motion.hostTime.seconds, rate: motion.rate)
        return publisher.anchor(new, in: loop, isSeeking: player.isSeeking)
    }

    /// The anchor until the player has handled the engine's newest event: the published anchor if it is of the current item, otherwise one at rest.
    private var formerAnchor: PlayerState.Anchor {
        let published = publisher.published
        if published.currentItem?.id == playlist.currentID { return published.anchor }
        let instant = position.now()
        return PlayerState.Anchor(time: max(0, instant.time.seconds), hostTime: instant.hostTime.seconds, rate: 0)
    }

    /// The path of the audio from the medium to the device; nil if the item or the output is not open.
    private func signalPath(_ state: PlayerState) -> PlayerState.SignalPath? {
        guard let current = loader.current, current.id == playlist.currentID, current.item.status == .readyToPlay, let description = player.output,
            let info = current.item.mediaInfo, let output = player.outputFormat
        else { return nil }
        return PlayerState.SignalPath(info, to: output, on: description.device, state, headroom: player.headroom)
    }

    var hasEnded: Bool { player.isAtEnd && !isAtStart && player.requestedRate == 0 && model.following(1).isEmpty }
}

extension PlayerState.NextEntry {
    init(_ item: PlayerState.Item) { self.init(id: item.id, url: item.url, title: item.title, artist: item.artist, duration: item.duration) }
}
