public import Foundation

extension AVPlayerItem {
    /// Posted when the effective end of the item has been heard (R-NOTE-02, R-EOI-07). The object of this notification is the item.
    public nonisolated static let didPlayToEndTimeNotification = Notification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// Posted when playback cannot continue. Its `userInfo` has the error under the key `AVPlayerItemFailedToPlayToEndTimeErrorKey` (R-NOTE-03).
    public nonisolated static let failedToPlayToEndTimeNotification = Notification.Name("AVPlayerItemFailedToPlayToEndTimeNotification")
    /// Posted when media did not arrive in time (R-NOTE-04).
    public nonisolated static let playbackStalledNotification = Notification.Name("AVPlayerItemPlaybackStalledNotification")
    /// Posted when the position changed other than by playing (R-NOTE-05).
    public nonisolated static let timeJumpedNotification = Notification.Name("AVPlayerItemTimeJumpedNotification")
    /// Posted when an entry was appended to the access log (R-NOTE-06). `accessLog()` returns the log.
    public nonisolated static let newAccessLogEntryNotification = Notification.Name("AVPlayerItemNewAccessLogEntry")
    /// Posted when an entry was appended to the error log (R-NOTE-06). `errorLog()` returns the log.
    public nonisolated static let newErrorLogEntryNotification = Notification.Name("AVPlayerItemNewErrorLogEntry")
    /// The notification of a change of the selected tracks. It is never posted, because an item has only one track (R-NOTE-06).
    public nonisolated static let mediaSelectionDidChangeNotification = Notification.Name("AVPlayerItemMediaSelectionDidChangeNotification")
    /// Posted when `recommendedTimeOffsetFromLive` changed, which happens when a live item becomes ready (R-NOTE-06, R-ITEM-09).
    public nonisolated static let recommendedTimeOffsetFromLiveDidChangeNotification = Notification.Name(
        "AVPlayerItemRecommendedTimeOffsetFromLiveDidChangeNotification")
    /// The key of the participant that caused a jump. It is never present in `timeJumpedNotification`, because there is no coordinated playback.
    public nonisolated static let timeJumpedOriginatingParticipantKey = "AVPlayerItemTimeJumpedOriginatingParticipantKey"

    func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        MainTurn.tell { NotificationCenter.default.post(name: name, object: self, userInfo: userInfo) }
    }
}

/// The key of the error in `AVPlayerItem.failedToPlayToEndTimeNotification`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension Notification.Name {
    /// Apple's older name of `AVPlayerItem.didPlayToEndTimeNotification`.
    public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
    public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
    public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
    public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
    public static let AVPlayerItemNewAccessLogEntry = AVPlayerItem.newAccessLogEntryNotification
    public static let AVPlayerItemNewErrorLogEntry = AVPlayerItem.newErrorLogEntryNotification
}
