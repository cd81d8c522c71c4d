public import Foundation

extension AVPlayerItem {
    /// Posted when the effective end of the item has been heard (R-NOTE-02, R-EOI-07). The object of this notification is the item.
    public nonisolated static let didPlayToEndTimeNotification = Notification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// Posted when playback of the item cannot continue, because of an error. The notification's `userInfo` has the error under the key
    /// `AVPlayerItemFailedToPlayToEndTimeErrorKey` (R-NOTE-03).
    public nonisolated static let failedToPlayToEndTimeNotification = Notification.Name("AVPlayerItemFailedToPlayToEndTimeNotification")
    /// Posted when playback stalls, because media data did not arrive in time (R-NOTE-04).
    public nonisolated static let playbackStalledNotification = Notification.Name("AVPlayerItemPlaybackStalledNotification")
    /// Posted when the item's position changed in another way than by playing, for example by a seek (R-NOTE-05).
    public nonisolated static let timeJumpedNotification = Notification.Name("AVPlayerItemTimeJumpedNotification")
    /// Posted when an entry was appended to the item's access log (R-NOTE-06). The function `accessLog()` returns the access log.
    public nonisolated static let newAccessLogEntryNotification = Notification.Name("AVPlayerItemNewAccessLogEntry")
    /// Posted when an entry was appended to the item's error log (R-NOTE-06). The function `errorLog()` returns the error log.
    public nonisolated static let newErrorLogEntryNotification = Notification.Name("AVPlayerItemNewErrorLogEntry")
    /// The notification of a change of the selected tracks. Tonearm never posts the notification, because an item has only one track (R-NOTE-06).
    public nonisolated static let mediaSelectionDidChangeNotification = Notification.Name("AVPlayerItemMediaSelectionDidChangeNotification")
    /// Posted when `recommendedTimeOffsetFromLive` changed, which happens when a live item becomes ready (R-NOTE-06, R-ITEM-09).
    public nonisolated static let recommendedTimeOffsetFromLiveDidChangeNotification = Notification.Name(
        "AVPlayerItemRecommendedTimeOffsetFromLiveDidChangeNotification")
    /// The key, in `userInfo`, of the participant who caused a jump of the position in coordinated playback (of several devices). The key is never
    /// present in `timeJumpedNotification`, because this implementation has no coordinated playback.
    public nonisolated static let timeJumpedOriginatingParticipantKey = "AVPlayerItemTimeJumpedOriginatingParticipantKey"

    func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        MainTurn.enqueue { NotificationCenter.default.post(name: name, object: self, userInfo: userInfo) }
    }
}

/// The key of the error in the `userInfo` of `AVPlayerItem.failedToPlayToEndTimeNotification`.
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
