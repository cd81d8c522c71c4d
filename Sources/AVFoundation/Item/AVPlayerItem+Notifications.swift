public import Foundation

extension AVPlayerItem {
    /// An effective end was heard (R-NOTE-02, R-EOI-07). The object is the item, as for all of these.
    public nonisolated static let didPlayToEndTimeNotification = Notification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// It could not go on; the error is under `AVPlayerItemFailedToPlayToEndTimeErrorKey` (R-NOTE-03).
    public nonisolated static let failedToPlayToEndTimeNotification = Notification.Name("AVPlayerItemFailedToPlayToEndTimeNotification")
    /// Media did not arrive in time (R-NOTE-04).
    public nonisolated static let playbackStalledNotification = Notification.Name("AVPlayerItemPlaybackStalledNotification")
    /// The time changed other than by playing (R-NOTE-05).
    public nonisolated static let timeJumpedNotification = Notification.Name("AVPlayerItemTimeJumpedNotification")
    /// An entry was appended to the access log (R-NOTE-06): fetch it with `accessLog()`.
    public nonisolated static let newAccessLogEntryNotification = Notification.Name("AVPlayerItemNewAccessLogEntry")
    /// An entry was appended to the error log (R-NOTE-06): fetch it with `errorLog()`.
    public nonisolated static let newErrorLogEntryNotification = Notification.Name("AVPlayerItemNewErrorLogEntry")
    /// Never posted: there is one track to select (R-NOTE-06).
    public nonisolated static let mediaSelectionDidChangeNotification = Notification.Name("AVPlayerItemMediaSelectionDidChangeNotification")
    /// `recommendedTimeOffsetFromLive` is another: known once the item is ready (R-NOTE-06, R-ITEM-09).
    public nonisolated static let recommendedTimeOffsetFromLiveDidChangeNotification = Notification.Name(
        "AVPlayerItemRecommendedTimeOffsetFromLiveDidChangeNotification")
    /// Never present in `timeJumpedNotification`: there is no coordinated playback.
    public nonisolated static let timeJumpedOriginatingParticipantKey = "AVPlayerItemTimeJumpedOriginatingParticipantKey"

    func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        MainTurn.tell { NotificationCenter.default.post(name: name, object: self, userInfo: userInfo) }
    }
}

/// The error of `AVPlayerItem.failedToPlayToEndTimeNotification`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension Notification.Name {
    /// Apple's older spellings.
    public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification
    public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification
    public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification
    public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
    public static let AVPlayerItemNewAccessLogEntry = AVPlayerItem.newAccessLogEntryNotification
    public static let AVPlayerItemNewErrorLogEntry = AVPlayerItem.newErrorLogEntryNotification
}
