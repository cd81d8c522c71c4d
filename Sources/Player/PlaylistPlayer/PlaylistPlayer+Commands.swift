import AVFoundation
import CoreMedia
import Platform
import PlaybackEngine

extension PlaylistPlayer {
    /// Performs any command but a seek. The command is complete when the function returns.
    func performNow(_ command: PlayerCommand, origin: String) throws(PlayerRefusal) -> PlayerReply {
        try publisher.act(for: origin, command.reason) { () throws(PlayerRefusal) in try performNow(command, for: origin) }
    }

    private func performNow(_ command: PlayerCommand, for origin: String) throws(PlayerRefusal) -> PlayerReply {
        switch command {
        case .play(let rate, let fade, nil):
            try play(rate: rate, fade: fade)
            scheduledPlay.cancel()
        case .play(let rate, let fade, let moment?): try schedulePlay(at: moment, rate: rate, fade: fade, origin: origin)
        case .pause:
            scheduledPlay.cancel()
            player.pause()
        case .fadeToPause(let seconds):
            scheduledPlay.cancel()
            fadeToPause(during: seconds, origin: origin)
        case .toggle:
            scheduledPlay.cancel()
            if player.requestedRate == 0 || volumeFade.state?.kind == .pause { try play(rate: nil) } else { player.pause() }
        case .changeVolume(let change, let fade): changeVolume(by: change, fade: fade)
        case .setLoop(let start, let end): try setLoop(from: start, to: end)
        case .clearLoop: clearLoop()
        case .setItem(let spec, let play, let startTime): return .item(id: try setItem(spec, play: play, startTime: startTime))
        case .setQueue(let specs, let start, let play): return .entries(ids: try setQueue(specs, start: start, play: play))
        case .insert(let specs, let position, let play): return .entries(ids: try insert(specs, at: position, play: play))
        case .removeEntry(let id): try remove(id)
        case .removeEntries(let ids): try remove(ids)
        case .removeUpcoming: removeUpcoming()
        case .moveEntry(let id, let index): try move(id, to: index)
        case .moveEntries(let ids, let position, let order): try move(ids, to: position, in: order)
        case .undo: return .edit(try revert(.undo))
        case .redo: return .edit(try revert(.redo))
        case .playEntry(let id): try playEntry(id)
        case .next: try next()
        case .previous: try previous()
        case .clear: clear()
        case .update(let update): try apply(update)
        case .setSleepTimer(let setting): try setSleepTimer(setting)
        case .setOutputRate(let rate, let device): player.outputRates.set(rate, of: device)
        case .seek: break
        }
        return .done
    }

    /// Plays at a rate, or at the default rate. If no entry is current, plays the first.
    ///
    /// A failed item of a paused player is opened again at its position. After the end, the next entry is played; the item itself is played again if
    /// there is no next entry, or in the repeat mode `one`. At one end of the item, a rate toward the other end plays from there.
    /// - Parameter fade: The seconds in which the volume rises from 0.
    func play(rate: Double?, fade: Double = 0, at host: HostTime? = nil) throws(PlayerRefusal) {
        let rate = rate ?? player.requestedDefaultRate
        try checkPlayable(rate)
        lookForAbsent()
        fadeIn(during: fade, at: host?.seconds)
        if playlist.currentID == nil, let first = model.nextID.flatMap(playlist.entry) { loader.go(to: first) }
        if let queued = loader.current, player.requestedRate == 0 {
            if queued.item.status == .failed, let current = playlist.current {
                // A failed item keeps its position.
                reload(current, at: player.currentTime())
            } else if player.isAtEnd, isAtStart == (rate > 0), let current = playlist.current {
                // The engine has ended the item, so it is loaded again for the other direction.
                loader.load(current, startTime: player.currentTime().seconds)
            } else if player.isAtEnd, !isAtStart {
                if let next = model.following(1).first, playlist.repeatMode != .one {
                    loader.go(to: next)
                } else if queued.item.mediaInfo?.isSeekable == true {
                    player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
                } else if let current = playlist.current {
                    model.forgetFailure(of: current.id)
                    loader.load(current)
                }
            }
        }
        if let host { player.start(rate: rate, at: host) } else { player.requestedRate = rate }
    }

    func reload(_ entry: PlaylistEntry, at time: CMTime) {
        loader.forgetFailuresInRow()
        model.forgetFailure(of: entry.id)
        loader.load(entry, startTime: time > .zero ? time.seconds : nil)
    }

    /// Whether backward playback has reached the start.
    var isAtStart: Bool { player.isAtEnd && player.currentTime() <= .zero && loader.current.map { $0.item.duration > .zero } ?? false }

    /// Refuses a rate that the item cannot play. Until the item is loaded, that is unknown, and no rate is refused.
    func checkPlayable(_ rate: Double) throws(PlayerRefusal) {
        guard rate < 0, let item = loader.current?.item, item.status == .readyToPlay, !item.canPlayReverse else { return }
        throw .rateNotPlayable
    }

    func playFromPause() {
        if player.requestedRate == 0 { player.requestedRate = player.requestedDefaultRate }
    }

    private func apply(_ update: PlayerUpdate) throws(PlayerRefusal) {
        if let rate = update.rate { try checkPlayable(rate) }
        if let value = update.defaultRate { player.requestedDefaultRate = value }
        if let value = update.volume { setVolume(value, fade: update.volumeFade ?? 0) }
        if let value = update.isMuted { player.isMuted = value }
        if let value = update.automaticallyWaitsToMinimizeStalling { player.automaticallyWaitsToMinimizeStalling = value }
        if let value = update.audioTimePitchAlgorithm { loader.setPitchAlgorithm(AVAudioTimePitchAlgorithm(value)) }
        if let value = update.repeatMode { model.editOrder { $0.setRepeatMode(value) } }
        if let value = update.isShuffled ?? (update.shuffleSeed != nil ? true : nil) {
            model.editOrder { $0.setShuffled(value, seed: update.shuffleSeed) }
        }
        if let value = update.isConsuming { model.edit { $0.setConsuming(value) } }
        if let value = update.crossfadeDuration { player.crossfadeDuration = CMTime(remoteSeconds: value) }
        if let value = update.loudnessNormalization { player.loudnessNormalization = value }
        if let value = update.actionAtItemEnd { loader.setActionAtItemEnd(value) }
        loader.fill()
        if let rate = update.rate {
            if rate == 0 { player.requestedRate = 0 } else { try play(rate: rate) }
        }
    }
}

extension PlayerCommand {
    /// The reason of the changes that the command makes.
    fileprivate var reason: PlayerState.Reason {
        switch self {
        case .play, .pause, .fadeToPause, .toggle: .setRateCalled
        case .seek: .seek
        case .setItem, .playEntry, .next, .previous: .itemChanged
        case .setQueue, .insert, .removeEntry, .removeEntries, .removeUpcoming, .moveEntry, .moveEntries, .undo, .redo, .clear: .queueChanged
        case .update, .changeVolume, .setLoop, .clearLoop, .setOutputRate: .settingsChanged
        case .setSleepTimer: .sleepTimer
        }
    }
}
