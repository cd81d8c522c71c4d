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
}
