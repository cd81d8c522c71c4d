import AVFoundation
import CoreMedia
import PlaybackEngine

extension PlaylistPlayer {
    /// A position at or after its end continues at its start.
    func setLoop(from start: Double, to end: Double) throws(PlayerRefusal) {
        guard let item = feeder.current?.item else { throw .noItem }
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

    func clearLoop() { feeder.current?.item.loopTimeRange = .invalid }

    /// In seconds of media time. It ends with the item, where playback turns, if the exact duration is shorter (R-TURN-01).
    var loop: ItemDetails.TimeRange? {
        guard let item = feeder.current?.item, let range = item.loopTimeRange.isValid ? item.loopTimeRange : nil else { return nil }
        guard item.isDurationExact, item.duration < range.end else { return ItemDetails.TimeRange(range) }
        return LoopRange(start: range.start, end: item.duration).map { ItemDetails.TimeRange(CMTimeRange(start: $0.start, end: $0.end)) }
    }
}
