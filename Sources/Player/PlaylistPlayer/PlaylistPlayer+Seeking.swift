import AVFoundation
import CoreMedia
import PlaybackEngine

extension PlaylistPlayer {
    /// The largest distance beyond an end, in seconds, at which an absolute target or start position means the end (J-2).
    static let overshoot = 1.0

    func perform(_ command: SeekCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply {
        reopenFailed()
        let target = try resolve(command)
        let tolerance: (before: CMTime, after: CMTime) =
            switch command.tolerance {
            case .automatic, .exact: (.zero, .zero)
            case .any: (.positiveInfinity, .positiveInfinity)
            case .range(let before, let after): (CMTime(remoteSeconds: max(0, before)), CMTime(remoteSeconds: max(0, after)))
            }
        let itemID = playlist.currentID
        if let current = loader.current, current.item.isHeld { current.noteRequestedStart(target) }
        // The position is read in the seek's completion handler, because it changes before the task resumes.
        let (finished, time) = await withCheckedContinuation { continuation in
            let allowsEstimate = command.tolerance == .automatic
            player.seek(
                to: target, toleranceBefore: tolerance.before, toleranceAfter: tolerance.after, allowsEstimate: allowsEstimate
            ) { [weak self, player] finished in
                if finished { self?.publisher.noteSeek(by: origin) }
                continuation.resume(returning: (finished, finished ? player.landedTime : player.currentTime()))
            }
        }
        publisher.update()
        if !finished, playlist.currentID == itemID {
            // The seek may have been accepted before the item was ready.
            if let failure = failureOfCurrent { throw .itemFailed(failure) }
            if let end = seekableEnd, target > end { throw .outOfRange(end: end.seconds) }
            if loader.current?.item.status == .readyToPlay, loader.current?.item.mediaInfo?.isSeekable == false { throw .notSeekable }
        }
        return .seek(finished: finished, time: max(0, time.seconds), requested: target.seconds)
    }

    /// Opens a failed item again, so that a seek works as on a stopped item.
    private func reopenFailed() {
        guard failureOfCurrent != nil, let current = playlist.current else { return }
        reload(current, at: player.currentTime())
    }

    var failureOfCurrent: PlayerState.Failure? {
        guard let item = loader.current?.item, item.status == .failed else { return nil }
        return item.error.map(PlayerState.Failure.init(describing:))
    }

    /// The end of the seekable range; nil if unknown or without end.
    var seekableEnd: CMTime? {
        guard let end = loader.current?.item.seekableTimeRanges.last?.end, end.isNumeric else { return nil }
        return end
    }

    /// The target of a seek. A relative one is limited to the item; an absolute one may exceed it by `overshoot` (J-2).
    private func resolve(_ command: SeekCommand) throws(PlayerRefusal) -> CMTime {
        guard let item = loader.current?.item else { throw .noItem }
        if let failure = failureOfCurrent { throw .itemFailed(failure) }
        let isReady = item.status == .readyToPlay
        if isReady, item.mediaInfo?.isSeekable != true { throw .notSeekable }
        let end = seekableEnd
        switch command.target {
        case .time(let seconds): return try limited(CMTime(remoteSeconds: seconds), to: end)
        case .exactTime(let value, let timescale):
            guard timescale > 0 else { throw .outOfRange(end: end?.seconds ?? 0) }
            return try limited(CMTime(value: value, timescale: timescale), to: end)
        case .offset(let seconds): return clamped(CMTime(remoteSeconds: player.currentTime().seconds + seconds), to: end)
        case .skip(let seconds):
            let start = player.seekTarget ?? player.currentTime()
            return clamped(start + CMTime(remoteSeconds: seconds), to: end)
        case .fraction(let fraction):
            guard isReady else { throw .notReady }
            guard let end else { throw .notSeekable }
            guard (0...1).contains(fraction) else { throw .outOfRange(end: end.seconds) }
            return CMTime(value: Int64((Double(end.value) * fraction).rounded()), timescale: end.timescale)
        }
    }

    private func clamped(_ time: CMTime, to end: CMTime?) -> CMTime {
        let target = max(.zero, time)
        return end.map { min(target, $0) } ?? target
    }

    /// Lets an entry whose requested start is after its end begin at the end. The end was not known when the start was requested, otherwise the start
    /// would have been refused. The item itself has ignored it (R-SEEK-08).
    func startAtEnd(_ entry: QueuedEntry) {
        guard let start = entry.requestedStart, !entry.item.isEndEstimated, let end = entry.item.seekableTimeRanges.last?.end, end.isNumeric,
            start > end
        else { return }
        entry.item.seek(to: end, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    func limited(_ time: CMTime, to end: CMTime?) throws(PlayerRefusal) -> CMTime {
        if time < .zero {
            guard time.seconds >= -Self.overshoot else { throw .outOfRange(end: end?.seconds ?? 0) }
            return .zero
        }
        guard let end, time > end, loader.current?.item.isEndEstimated != true else { return time }
        guard time.seconds <= end.seconds + Self.overshoot else { throw .outOfRange(end: end.seconds) }
        return end
    }
}

extension PlaylistPlayer {
    /// Sets the loop. If the present position is at or after the end of the loop, playback continues at its start.
    func setLoop(from start: Double, to end: Double) throws(PlayerRefusal) {
        guard let item = loader.current?.item else { throw .noItem }
        if let failure = failureOfCurrent { throw .itemFailed(failure) }
        guard item.status == .readyToPlay else { throw .notReady }
        guard item.mediaInfo?.isSeekable == true else { throw .notSeekable }
        let seekable = seekableEnd
        let range = CMTimeRange(
            start: try limited(CMTime(remoteSeconds: start), to: seekable), end: try limited(CMTime(remoteSeconds: end), to: seekable))
        guard let loop = LoopRange(start: range.start, end: range.end) else { throw .loopTooShort(minimum: LoopRange.shortestDuration) }
        item.loopTimeRange = range
        if player.currentTime() >= loop.end { player.seek(to: loop.start, toleranceBefore: .zero, toleranceAfter: .zero) }
    }

    func clearLoop() { loader.current?.item.loopTimeRange = .invalid }

    /// The loop in seconds of media time. If the exact end of the item is before the loop's end, playback turns there, and it is the end (R-TURN-01).
    var loop: ItemDetails.TimeRange? {
        guard let item = loader.current?.item, let range = item.loopTimeRange.isValid ? item.loopTimeRange : nil else { return nil }
        guard item.isDurationExact, item.duration < range.end else { return ItemDetails.TimeRange(range) }
        return LoopRange(start: range.start, end: item.duration).map { ItemDetails.TimeRange(CMTimeRange(start: $0.start, end: $0.end)) }
    }
}
