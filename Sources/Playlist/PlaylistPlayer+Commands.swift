import AVFoundation
import CoreMedia
import PlaybackEngine

extension PlaylistPlayer {
    /// Every command but seeks: done when this returns.
    func carryOut(_ command: PlayerCommand, origin: String) throws(PlayerRefusal) -> PlayerReply {
        switch command {
        case .play(let rate):
            try publisher.act(for: origin, .setRateCalled) { () throws(PlayerRefusal) in try play(rate: rate) }
        case .pause:
            try publisher.act(for: origin, .setRateCalled) { () throws(PlayerRefusal) in player.pause() }
        case .toggle:
            try publisher.act(for: origin, .setRateCalled) { () throws(PlayerRefusal) in
                if player.requestedRate == 0 { try play(rate: nil) } else { player.pause() }
            }
        case .setItem(let spec, let play, let startTime):
            return try publisher.act(for: origin, .itemChanged) { () throws(PlayerRefusal) in
                .item(id: setItem(spec, play: play, startTime: startTime))
            }
        case .setQueue(let specs, let play):
            return try publisher.act(for: origin, .playlistChanged) { () throws(PlayerRefusal) in .entries(ids: try setQueue(specs, play: play)) }
        case .insert(let specs, let id, let play):
            return try publisher.act(for: origin, .playlistChanged) { () throws(PlayerRefusal) in
                .entries(ids: try insert(specs, after: id, play: play))
            }
        case .removeEntry(let id): try remove(id, origin: origin)
        case .moveEntry(let id, let index): try move(id, to: index, origin: origin)
        case .playEntry(let id): try jump(to: id, play: true, origin: origin)
        case .next: try next(origin: origin)
        case .previous: try previous(origin: origin)
        case .clear:
            try publisher.act(for: origin, .playlistChanged) { () throws(PlayerRefusal) in clear() }
        case .update(let update):
            try publisher.act(for: origin, .settingsChanged) { () throws(PlayerRefusal) in try apply(update) }
        case .updateSession(let update):
            try publisher.act(for: origin, .sessionChanged) { () throws(PlayerRefusal) in try apply(update) }
        case .setSleepTimer(let setting):
            try publisher.act(for: origin, .sleepTimer) { () throws(PlayerRefusal) in try setSleepTimer(setting) }
        case .seek: break
        }
        return .done
    }

    /// Plays at a rate, or the default one. At the end of an entry: the next, or this again where it is the last. A failed entry: the next, or this
    /// again. Where none is current, the first.
    private func play(rate: Double?) throws(PlayerRefusal) {
        let rate = rate ?? player.requestedDefaultRate
        try checkPlayable(rate)
        if playlist.currentID == nil, let first = book.nextID.flatMap(playlist.entry) { feeder.go(to: first) }
        if let queued = feeder.current, player.requestedRate == 0 {
            if player.isAtEnd, isAtStart == (rate > 0), let current = playlist.current {
                // From where it rests, the other way: what the engine holds there is an end.
                feeder.load(current, startTime: player.currentTime().seconds)
            } else if (player.isAtEnd && !isAtStart) || queued.item.status == .failed {
                if let next = book.following(1).first, playlist.repeatMode != .one {
                    feeder.go(to: next)
                } else if player.isAtEnd, queued.item.mediaInfo?.isSeekable == true {
                    player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
                } else if let current = playlist.current {
                    book.forgetFailure(of: current.id)
                    feeder.load(current)
                }
            }
        }
        player.requestedRate = rate
    }

    /// Backwards, the start of the current entry has been reached.
    var isAtStart: Bool { player.isAtEnd && player.currentTime() <= .zero && feeder.current.map { $0.item.duration > .zero } ?? false }

    /// Refuses what is known to be impossible; of an item that is still loading nothing is known.
    private func checkPlayable(_ rate: Double) throws(PlayerRefusal) {
        guard rate < 0, let item = feeder.current?.item, item.status == .readyToPlay, !item.canPlayReverse else { return }
        throw .rateNotPlayable
    }

    func playFromPause() {
        if player.requestedRate == 0 { player.requestedRate = player.requestedDefaultRate }
    }

    private func setItem(_ spec: EntrySpec, play: Bool?, startTime: Double?) -> String {
        // Nothing of the new entry is to be heard where it is not to play.
        if play == false { player.pause() }
        let entries = book.edit { $0.replace(with: [spec]) }
        guard let entry = entries.first else { preconditionFailure("a playlist of one entry has one entry") }
        feeder.load(entry, startTime: startTime)
        if play == true { playFromPause() }
        return entry.id
    }

    private func clear() {
        book.edit { $0.clear() }
        feeder.unload()
    }

    private func apply(_ update: PlayerUpdate) throws(PlayerRefusal) {
        if let rate = update.rate { try checkPlayable(rate) }
        if let value = update.defaultRate { player.requestedDefaultRate = value }
        if let value = update.volume { setVolume(value) }
        if let value = update.isMuted { player.isMuted = value }
        if let value = update.automaticallyWaitsToMinimizeStalling { player.automaticallyWaitsToMinimizeStalling = value }
        if let value = update.audioTimePitchAlgorithm.flatMap(AVAudioTimePitchAlgorithm.init(remoteName:)) { feeder.setPitchAlgorithm(value) }
        if let value = update.repeatMode.flatMap(PlaylistMachine.RepeatMode.init(rawValue:)) { book.editOrder { $0.setRepeatMode(value) } }
        if let value = update.isShuffled ?? (update.shuffleSeed != nil ? true : nil) {
            book.editOrder { $0.setShuffled(value, seed: update.shuffleSeed) }
        }
        if let value = update.crossfadeDuration { player.crossfadeDuration = CMTime(remoteSeconds: value) }
        if let value = update.loudnessNormalization.flatMap(LoudnessMode.init(rawValue:)) { player.loudnessNormalization = value }
        if let value = update.actionAtItemEnd.flatMap(AVPlayer.ActionAtItemEnd.init(remoteName:)) { feeder.setActionAtItemEnd(value) }
        feeder.feed()
        if let rate = update.rate {
            if rate == 0 { player.requestedRate = 0 } else { try play(rate: rate) }
        }
    }
}
