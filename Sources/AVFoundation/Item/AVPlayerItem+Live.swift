public import CoreMedia
public import Foundation
import PlaybackEngine

/// Live streams, and the dates of media times. A live stream without a recorded past is not seekable. A live stream has dates if its transport states
/// the date of its start: the date of a media time is the date of the start plus the media time.
extension AVPlayerItem {
    /// The requested distance of playback from the live edge (the newest position of a live stream). The distance is invalid if the item is not live,
    /// or not known to be live (R-ITEM-09). The distance is stored, but has no effect, because Tonearm does not know the live edge of a medium.
    public var configuredTimeOffsetFromLive: CMTime {
        get {
            hub.access(.liveOffset)
            return mediaInfo?.isLive == true ? settings.liveOffset : .invalid
        }
        set {
            demandMainQueue()
            guard newValue != settings.liveOffset else { return }
            change([.liveOffset]) { $0.liveOffset = newValue }
        }
    }
    /// The recommended value of `configuredTimeOffsetFromLive`: zero for a live stream, because its server decides the distance; otherwise invalid
    /// (R-ITEM-09).
    public var recommendedTimeOffsetFromLive: CMTime { mediaInfo?.isLive == true ? .zero : .invalid }

    /// Returns the date of the position that is heard; nil if the medium does not map times to dates (R-SEEK-10).
    public func currentDate() -> Date? {
        demandMainQueue()
        return mediaInfo?.startDate.map { Date(timeIntervalSince1970: $0 + currentTime().seconds) }
    }

    /// Seeks the item to a date. Returns false, and calls `completionHandler` with false immediately, if the medium does not map times to dates or
    /// the date is outside the seekable ranges. Plain files have no dates (R-SEEK-10).
    @discardableResult public func seek(to date: Date, completionHandler: (@MainActor (Bool) -> Void)? = nil) -> Bool {
        demandMainQueue()
        guard let time = time(of: date), canSeek(to: time) else {
            MainTurn.perform { MainTurn.enqueue { completionHandler?(false) } }
            return false
        }
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
        return true
    }

    private func time(of date: Date) -> CMTime? {
        guard let info = mediaInfo, let start = info.startDate else { return nil }
        let seconds = date.timeIntervalSince1970 - start
        guard seconds.isFinite, abs(seconds) < 1e9 else { return nil }
        return CMTime(seconds: seconds, preferredTimescale: CMTimeScale(clamping: info.format.sampleRate))
    }
}
