public import Foundation

/// Apple's older spelling of `AVPlayerItem.Status`.
public typealias AVPlayerItemStatus = AVPlayerItem.Status

/// An immutable track of an item.
public final class AVPlayerItemTrack: NSObject, Sendable {
    public let assetTrack: AVAssetTrack?
    public let isEnabled: Bool
    init(assetTrack: AVAssetTrack) {
        self.assetTrack = assetTrack
        isEnabled = true
        super.init()
    }

    /// True for tracks of the same asset track.
    public override func isEqual(_ object: Any?) -> Bool { (object as? AVPlayerItemTrack)?.assetTrack === assetTrack }
    public override var hash: Int { assetTrack.map { ObjectIdentifier($0).hashValue } ?? 0 }
}
