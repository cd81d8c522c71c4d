public import CoreMedia

/// The clock of an item's media time, to read (R-ITEM-08): what is heard of the item, and how fast that really moves. Main actor, as the item.
@preconcurrency @MainActor public final class CMTimebase {
    private weak var item: AVPlayerItem?

    init(item: AVPlayerItem) { self.item = item }

    /// Media seconds for each second: 0 while the player waits or another item is current (R-RATE-03), and the rate that the pitch algorithm really has
    /// where it does not have the one asked for (R-PITCH-02).
    public var rate: Double {
        demandMainQueue(CMTimebase.self)
        return item?.effectiveRate ?? 0
    }
    /// What is heard of the item now.
    public var time: CMTime {
        demandMainQueue(CMTimebase.self)
        return item?.currentTime() ?? .zero
    }
}

/// Apple's function for `CMTimebase.rate`.
@MainActor public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }
/// Apple's function for `CMTimebase.time`.
@MainActor public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }
