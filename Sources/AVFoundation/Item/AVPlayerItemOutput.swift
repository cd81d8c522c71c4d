public import CoreMedia
public import Foundation
import Platform
import PlaybackEngine

/// A receiver of an item's media, in addition to the player's own output. The kinds of receivers are
/// ``AVPlayerItemAudioOutput`` and ``AVPlayerItemMetadataOutput`` (R-ITEM-10).
///
/// The output of an item is used on the main actor, like the item.
@preconcurrency @MainActor public class AVPlayerItemOutput {
    /// The item that the output belongs to; nil if the output belongs to no item.
    private(set) weak var item: AVPlayerItem?
    /// The output's queue of unread audio; nil for a kind of output without such a queue.
    nonisolated var queue: SampleQueue? { nil }

    init() {}

    /// Attaches the output to `item`; nil detaches the output.
    func attach(to item: AVPlayerItem?) { self.item = item }

    /// Delivers timed metadata whose audio is heard now. An output of another kind ignores them.
    func push(_ group: AVTimedMetadataGroup) {}

    /// Returns the item time that is heard at a host time (a time of `CMClock.hostTimeClock`) near the present.
    ///
    /// - Parameter hostTimeInSeconds: The host time, in seconds.
    /// - Returns: The item time; invalid if the item is not the current item of a player.
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
