/// Apple's older spelling of `AVPlayerItem.Status`.
public typealias AVPlayerItemStatus = AVPlayerItem.Status

/// An immutable track of an item.
public final class AVPlayerItemTrack: Sendable, Equatable {
    public let assetTrack: AVAssetTrack?
    public let isEnabled: Bool
    init(assetTrack: AVAssetTrack) {
        self.assetTrack = assetTrack
        isEnabled = true
    }
    public static func == (a: AVPlayerItemTrack, b: AVPlayerItemTrack) -> Bool { a.assetTrack === b.assetTrack }
}
