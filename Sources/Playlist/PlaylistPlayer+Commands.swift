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
            return try publisher.act(for: origin, .playlistChanged) { () throws(PlayerRefusal) in .entries(ids: try insert(specs, after: id, play: play)) }
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
        if playlist.currentID == nil, let first = book.nextID.flatMap(playlist.entry) { go(to: first) }
        if let queued = currentQueued, player.requestedRate == 0 {
            if player.isAtEnd, isAtStart == (rate > 0), let current = playlist.current {
                // From where it rests, the other way: what the engine holds there is an end.
                load(current, startTime: player.currentTime().seconds)
            } else if (player.isAtEnd && !isAtStart) || queued.item.status == .failed {
                if let next = book.following(1).first, playlist.repeatMode != .one {
                    go(to: next)
                } else if player.isAtEnd, queued.item.mediaInfo?.isSeekable == true {
                    player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
                } else if let current = playlist.current {
                    book.forgetFailure(of: current.id)
                    load(current)
                }
            }
        }
        player.requestedRate = rate
    }

    /// Backwards, the start of the current entry has been reached.
    var isAtStart: Bool { player.isAtEnd && player.currentTime() <= .zero && currentQueued.map { $0.item.duration > .zero } ?? false }

    /// Refuses what is known to be impossible; of an item that is still loading nothing is known.
    private func checkPlayable(_ rate: Double) throws(PlayerRefusal) {
        guard rate < 0, let item = currentQueued?.item, item.status == .readyToPlay, !item.canPlayReverse else { return }
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
        load(entry, startTime: startTime)
        if play == true { playFromPause() }
        return entry.id
    }

    private func clear() {
        book.edit { $0.clear() }
        unload()
    }

    private func apply(_ update: PlayerUpdate) throws(PlayerRefusal) {
        if let rate = update.rate { try checkPlayable(rate) }
        if let value = update.defaultRate { player.requestedDefaultRate = value }
        if let value = update.volume { setVolume(value) }
        if let value = update.isMuted { player.isMuted = value }
        if let value = update.automaticallyWaitsToMinimizeStalling { player.automaticallyWaitsToMinimizeStalling = value }
        if let value = update.audioTimePitchAlgorithm.flatMap(AVAudioTimePitchAlgorithm.init(remoteName:)) { setPitchAlgorithm(value) }
        if let value = update.repeatMode.flatMap(PlaylistMachine.RepeatMode.init(rawValue:)) { book.editOrder { $0.setRepeatMode(value) } }
        if let value = update.isShuffled ?? (update.shuffleSeed != nil ? true : nil) {
            book.editOrder { $0.setShuffled(value, seed: update.shuffleSeed) }
        }
        if let value = update.crossfadeDuration { player.crossfadeDuration = CMTime(remoteSeconds: value) }
        if let value = update.loudnessNormalization.flatMap(LoudnessMode.init(rawValue:)) { player.loudnessNormalization = value }
        if let value = update.actionAtItemEnd.flatMap(AVPlayer.ActionAtItemEnd.init(remoteName:)) { setActionAtItemEnd(value) }
        feed()
        if let rate = update.rate {
            if rate == 0 { player.requestedRate = 0 } else { try play(rate: rate) }
        }
    }

    // MARK: Seeking

    /// Small overshoots of an absolute time are taken as the end they lie beyond, seconds (J-2).
    static let overshoot = 1.0

    func perform(_ command: SeekCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply {
        let target = try resolve(command)
        let tolerance: (before: CMTime, after: CMTime) =
            switch command.tolerance {
            case .exact: (.zero, .zero)
            case .any: (.positiveInfinity, .positiveInfinity)
            case .range(let before, let after): (CMTime(remoteSeconds: max(0, before)), CMTime(remoteSeconds: max(0, after)))
            }
        let itemID = playlist.currentID
        // Where it landed is asked at once: by the time this goes on, sound has moved on too.
        let (finished, time) = await withCheckedContinuation { continuation in
            player.seek(to: target, toleranceBefore: tolerance.before, toleranceAfter: tolerance.after) { [weak self, player] finished in
                if finished { self?.publisher.noteSeek(by: origin) }
                continuation.resume(returning: (finished, finished ? player.landedTime : player.currentTime()))
            }
        }
        publisher.update()
        if !finished, playlist.currentID == itemID {
            // It was accepted before the item was ready, and then could not be done.
            if let failure = failureOfCurrent { throw .itemFailed(failure) }
            if let end = seekableEnd, target > end { throw .outOfRange(end: end.seconds) }
            if currentQueued?.item.status == .readyToPlay, currentQueued?.item.mediaInfo?.isSeekable == false { throw .notSeekable }
        }
        return .seek(finished: finished, time: max(0, time.seconds), requested: target.seconds)
    }

    private var failureOfCurrent: PlayerState.Failure? {
        guard let item = currentQueued?.item, item.status == .failed else { return nil }
        return item.error.map(PlayerState.Failure.init(describing:))
    }

    /// The end of what can be sought, nil where that is not known, or has none.
    private var seekableEnd: CMTime? {
        guard let end = currentQueued?.item.seekableTimeRanges.last?.end, end.isNumeric else { return nil }
        return end
    }

    /// The time that a seek means. A relative seek stops at the ends; an absolute one may overshoot them a little (J-2).
    private func resolve(_ command: SeekCommand) throws(PlayerRefusal) -> CMTime {
        guard let item = currentQueued?.item else { throw .noItem }
        if let failure = failureOfCurrent { throw .itemFailed(failure) }
        let isReady = item.status == .readyToPlay
        if isReady, item.mediaInfo?.isSeekable != true { throw .notSeekable }
        let end = seekableEnd
        switch command.target {
        case .time(let seconds): return try limited(CMTime(remoteSeconds: seconds), to: end)
        case .exactTime(let value, let timescale):
            guard timescale > 0 else { throw .outOfRange(end: end?.seconds ?? 0) }
            return try limited(CMTime(value: value, timescale: timescale), to: end)
        case .offset(let seconds):
            let wanted = max(.zero, CMTime(remoteSeconds: player.currentTime().seconds + seconds))
            return end.map { min(wanted, $0) } ?? wanted
        case .fraction(let fraction):
            guard isReady else { throw .notReady }
            guard let end else { throw .notSeekable }
            guard (0...1).contains(fraction) else { throw .outOfRange(end: end.seconds) }
            return CMTime(value: Int64((Double(end.value) * fraction).rounded()), timescale: end.timescale)
        case .date: throw .notSeekable
        }
    }

    private func limited(_ time: CMTime, to end: CMTime?) throws(PlayerRefusal) -> CMTime {
        if time < .zero {
            guard time.seconds >= -Self.overshoot else { throw .outOfRange(end: end?.seconds ?? 0) }
            return .zero
        }
        guard let end, time > end else { return time }
        guard time.seconds <= end.seconds + Self.overshoot else { throw .outOfRange(end: end.seconds) }
        return end
    }
}
