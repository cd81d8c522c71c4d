public import CoreMedia
public import Foundation
import PlaybackEngine

/// What an item can hand its media to, besides the player's own sound: see ``AVPlayerItemAudioOutput``, the only kind (R-ITEM-10).
///
/// Main actor, as its item.
@preconcurrency @MainActor public class AVPlayerItemOutput {
    /// The item that it was added to.
    weak var item: AVPlayerItem?
    /// Where the item's sound waits for whoever reads it.
    nonisolated var queue: SampleQueue? { nil }

    init() {}

    /// The item time that is heard at a moment of the host clock (`CMClock.hostTimeClock`), which lies near the present.
    ///
    /// - Parameter hostTimeInSeconds: seconds of the host clock.
    /// - Returns: invalid while no player has its item as the current one.
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
