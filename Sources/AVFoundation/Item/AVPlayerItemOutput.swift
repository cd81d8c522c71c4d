public import CoreMedia
public import Foundation
import PlaybackEngine

/// A receiver of an item's media, besides the player's own output. The only kind is ``AVPlayerItemAudioOutput`` (R-ITEM-10).
///
/// Main actor, like the item.
@preconcurrency @MainActor public class AVPlayerItemOutput {
    /// The item that the output belongs to.
    private(set) weak var item: AVPlayerItem?
    /// The queue of unread audio.
    nonisolated var queue: SampleQueue? { nil }

    init() {}

    /// Makes the output one of `item`; nil detaches it.
    func attach(to item: AVPlayerItem?) { self.item = item }

    /// Returns the item time that is heard at a host time (of `CMClock.hostTimeClock`) near the present.
    ///
    /// - Parameter hostTimeInSeconds: the host time, in seconds.
    /// - Returns: the item time; invalid if the item is not the current item of a player.
    public func itemTime(forHostTime hostTimeInSeconds: TimeInterval) -> CMTime {
        demandMainQueue(Self.self)
        guard hostTimeInSeconds.isFinite, abs(hostTimeInSeconds) < 1e9, let item, let owner = item.owner, owner.playingItem === item else {
            return .invalid
        }
        return owner.position.reading(at: HostTime(nanoseconds: Int64((hostTimeInSeconds * 1e9).rounded()))).time
    }
}

extension AVPlayerItemOutput: Hashable {
    /// Outputs are equal when they are the same object.
    public nonisolated static func == (a: AVPlayerItemOutput, b: AVPlayerItemOutput) -> Bool { a === b }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
