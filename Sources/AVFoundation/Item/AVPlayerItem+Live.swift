public import CoreMedia
public import Foundation
import PlaybackEngine

/// Live streams and dates. Nothing here can be sought in a live stream that keeps no past; what a stream says of dates is honoured.
extension AVPlayerItem {
    /// How far behind the live edge to play; invalid for what is not live (R-ITEM-09), and until that is known. Kept as it is set; no source here has a
    /// live edge that could be approached, so it has no effect.
    public var configuredTimeOffsetFromLive: CMTime {
        get {
            hub.access(.liveOffset)
            return mediaInfo?.isLive == true ? liveOffset : .invalid
        }
        set {
            demandMainQueue()
            guard newValue != liveOffset else { return }
            hub.change([.liveOffset]) { liveOffset = newValue }
        }
    }
    /// What to set `configuredTimeOffsetFromLive` to: zero for a live stream, whose server decides; invalid for what is not live (R-ITEM-09).
    public var recommendedTimeOffsetFromLive: CMTime { mediaInfo?.isLive == true ? .zero : .invalid }

    /// The date of what is heard, nil where the medium maps no dates to times (R-SEEK-10).
    public func currentDate() -> Date? {
        demandMainQueue()
        return mediaInfo?.startDate.map { Date(timeIntervalSince1970: $0 + currentTime().seconds) }
    }

    /// Seeks to a date. False, and `completionHandler` is told so at once, where the medium maps no dates to times or the date lies outside what can be
    /// sought: always so for plain files (R-SEEK-10).
    @discardableResult public func seek(to date: Date, completionHandler: (@MainActor (Bool) -> Void)? = nil) -> Bool {
        demandMainQueue()
        guard let time = time(of: date), canSeek(to: time) else {
            MainTurn.perform { MainTurn.tell { completionHandler?(false) } }
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
