public import CoreMedia
public import Foundation
import Platform
import PlaybackEngine

/// A receiver of an item's media: ``AVPlayerItemAudioOutput`` or ``AVPlayerItemMetadataOutput`` (R-ITEM-10). Used on the main actor.
@preconcurrency @MainActor public class AVPlayerItemOutput {
    private(set) weak var item: AVPlayerItem?
    /// The queue of unread audio; nil for outputs without audio.
    nonisolated var queue: SampleQueue? { nil }

    init() {}

    func attach(to item: AVPlayerItem?) { self.item = item }

    /// Delivers metadata. An output of another kind ignores them.
    func push(_ group: AVTimedMetadataGroup) {}

    /// The item's position at a host time near the present, in seconds of `CMClock.hostTimeClock`. Invalid if the item is not the
    /// current one of a player.
    public func itemTime(forHostTime hostTimeInSeconds: TimeInterval) -> CMTime {
        demandMainQueue(Self.self)
        guard hostTimeInSeconds.isFinite, abs(hostTimeInSeconds) < 1e9, let item, let owner = item.owner, owner.playingItem === item else {
            return .invalid
        }
        return owner.position.reading(at: HostTime(nanoseconds: Int64((hostTimeInSeconds * 1e9).rounded()))).time
    }
}

extension AVPlayerItemOutput: Hashable {
    /// True for the same object.
    public nonisolated static func == (a: AVPlayerItemOutput, b: AVPlayerItemOutput) -> Bool { a === b }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
