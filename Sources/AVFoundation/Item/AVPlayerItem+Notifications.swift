public import Foundation

extension AVPlayerItem {
    /// The item's effective end has been heard (R-NOTE-02, R-EOI-07). The object of each notification is the item.
    public nonisolated static let didPlayToEndTimeNotification = Notification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// Playback failed before the end; the error is under `AVPlayerItemFailedToPlayToEndTimeErrorKey` (R-NOTE-03).
    public nonisolated static let failedToPlayToEndTimeNotification = Notification.Name("AVPlayerItemFailedToPlayToEndTimeNotification")
    /// Media data did not arrive in time (R-NOTE-04).
    public nonisolated static let playbackStalledNotification = Notification.Name("AVPlayerItemPlaybackStalledNotification")
    /// The position changed in another way than by playing, for example by a seek (R-NOTE-05).
    public nonisolated static let timeJumpedNotification = Notification.Name("AVPlayerItemTimeJumpedNotification")
    /// An entry was added to `accessLog()` (R-NOTE-06).
    public nonisolated static let newAccessLogEntryNotification = Notification.Name("AVPlayerItemNewAccessLogEntry")
    /// An entry was added to `errorLog()` (R-NOTE-06).
    public nonisolated static let newErrorLogEntryNotification = Notification.Name("AVPlayerItemNewErrorLogEntry")
    /// Never posted, because an item has only one track (R-NOTE-06).
    public nonisolated static let mediaSelectionDidChangeNotification = Notification.Name("AVPlayerItemMediaSelectionDidChangeNotification")
    /// Posted when a live item becomes ready (R-NOTE-06, R-ITEM-09).
    public nonisolated static let recommendedTimeOffsetFromLiveDidChangeNotification = Notification.Name(
        "AVPlayerItemRecommendedTimeOffsetFromLiveDidChangeNotification")
    /// Never present, because there is no coordinated playback.
    public nonisolated static let timeJumpedOriginatingParticipantKey = "AVPlayerItemTimeJumpedOriginatingParticipantKey"

    @Turn func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) { Turn.post(name, from: self, userInfo) }
}

/// The key of the error in `AVPlayerItem.failedToPlayToEndTimeNotification`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension Notification.Name {
    /// Apple's older name of `AVPlayerItem.didPlayToEndTimeNotification`, like the following names.
    public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
    public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
    public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
    public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
    public static let AVPlayerItemNewAccessLogEntry = AVPlayerItem.newAccessLogEntryNotification
    public static let AVPlayerItemNewErrorLogEntry = AVPlayerItem.newErrorLogEntryNotification
}
