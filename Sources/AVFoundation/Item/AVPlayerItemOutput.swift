public import CoreMedia
public import Foundation
import Platform
import PlaybackEngine

/// A receiver of an item's media: ``AVPlayerItemAudioOutput`` or ``AVPlayerItemMetadataOutput`` (R-ITEM-10).
///
/// `@unchecked Sendable`: the compiler cannot check a class with subclasses; their state belongs to `Turn`, or is constant.
public class AVPlayerItemOutput: NSObject, @unchecked Sendable {
    @Turn private(set) weak var item: AVPlayerItem?
    /// The queue of unread audio; nil for outputs without audio.
    var queue: SampleQueue? { nil }

    override init() { super.init() }

    @Turn func attach(to item: AVPlayerItem?) { self.item = item }

    /// Delivers metadata. An output of another kind ignores them.
    @Turn func push(_ group: AVTimedMetadataGroup) {}

    /// The item's position at a host time near the present, in seconds of `CMClock.hostTimeClock`. Invalid if the item is not the
    /// current one of a player.
    public func itemTime(forHostTime hostTimeInSeconds: TimeInterval) -> CMTime {
        guard hostTimeInSeconds.isFinite, abs(hostTimeInSeconds) < 1e9 else { return .invalid }
        let owner = Turn.perform { () -> AVPlayer? in
            guard let item, let owner = item.owner, owner.playingItem === item else { return nil }
            return owner
        }
        guard let owner else { return .invalid }
        return owner.position.reading(at: HostTime(nanoseconds: Int64((hostTimeInSeconds * 1e9).rounded()))).time
    }
}
