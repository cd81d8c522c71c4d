public import CoreMedia
import Foundation
import PlaybackEngine

/// Live streams, which are not seekable unless their past is recorded, and dates: the date of a position is the date of the medium's start, if the
/// transport states it, plus the media time.
extension AVPlayerItem {
    /// The offset from the live edge; invalid if the item is not known to be live (R-ITEM-09). Stored without effect, because Tonearm does not know
    /// the live edge.
    public nonisolated var configuredTimeOffsetFromLive: CMTime {
        get { read(.liveOffset) { mediaInfo?.isLive == true ? settings.liveOffset : .invalid } }
        set {
            turn {
                guard newValue != settings.liveOffset else { return }
                change([.liveOffset]) { $0.liveOffset = newValue }
            }
        }
    }
    /// Zero for a live stream, because its server decides the offset; otherwise invalid (R-ITEM-09).
    public nonisolated var recommendedTimeOffsetFromLive: CMTime { mediaInfo?.isLive == true ? .zero : .invalid }

    /// The date of the heard position; nil if the medium has no dates (R-SEEK-10).
    public nonisolated func currentDate() -> Date? {
        Turn.perform { mediaInfo?.startDate.map { Date(timeIntervalSince1970: $0 + currentTime().seconds) } }
    }

    /// Seeks to a date. Returns false, and calls `completionHandler` immediately with false, if the medium has no dates (a plain file has none), or
    /// the date is outside the seekable ranges (R-SEEK-10).
    @discardableResult @preconcurrency public nonisolated func seek(
        to date: Date, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) -> Bool {
        turn {
            guard let time = time(of: date), canSeek(to: time) else {
                Turn.enqueueOnMain { completionHandler?(false) }
                return false
            }
            seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
            return true
        }
    }

    @Turn private func time(of date: Date) -> CMTime? {
        guard let info = mediaInfo, let start = info.startDate else { return nil }
        let seconds = date.timeIntervalSince1970 - start
        guard seconds.isFinite, abs(seconds) < 1e9 else { return nil }
        return CMTime(seconds: seconds, preferredTimescale: CMTimeScale(clamping: info.format.sampleRate))
    }
}
