import AVFoundation
import CoreMedia
import PlaybackEngine

/// The loop of the current item.
extension PlaylistPlayer {
    /// Repeats a part of the current item. If the position is at or after the end of the repeated part, playback continues at the start of the
    /// repeated part.
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

    /// Plays the current item without a loop.
    func clearLoop() { feeder.current?.item.loopTimeRange = .invalid }

    /// The repeated part of the current item, in seconds of media time; nil if no part is repeated. If the exact duration shows that the item ends
    /// before the end of the part, playback turns at the item's end (R-TURN-01), and the part ends there.
    var loop: ItemDetails.TimeRange? {
        guard let item = feeder.current?.item, let range = item.loopTimeRange.isValid ? item.loopTimeRange : nil else { return nil }
        guard item.isDurationExact, item.duration < range.end else { return ItemDetails.TimeRange(range) }
        return LoopRange(start: range.start, end: item.duration).map { ItemDetails.TimeRange(CMTimeRange(start: $0.start, end: $0.end)) }
    }
}
