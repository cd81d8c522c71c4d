public import CoreMedia
public import Foundation
import Platform
import PlaybackEngine

/// A receiver of an item's media, besides the player's own output. The only kind is ``AVPlayerItemAudioOutput`` (R-ITEM-10).
///
/// The output is used on the main actor, like the item.
@preconcurrency @MainActor public class AVPlayerItemOutput {
    /// The item that the output belongs to; nil if it belongs to none.
    private(set) weak var item: AVPlayerItem?
    /// The queue of unread audio; nil if the kind of output has none.
    nonisolated var queue: SampleQueue? { nil }

    init() {}

    /// Attaches the output to `item`; nil detaches the output.
    func attach(to item: AVPlayerItem?) { self.item = item }

    /// Returns the item time that is heard at a host time (of `CMClock.hostTimeClock`) near the present.
    ///
    /// - Parameter hostTimeInSeconds: The host time, in seconds.
    /// - Returns: The item time. The time is invalid if the item is not the current item of a player.
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
