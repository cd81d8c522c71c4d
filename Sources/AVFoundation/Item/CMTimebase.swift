public import CoreMedia

/// The read-only clock of an item's media time (R-ITEM-08).
public final class CMTimebase: Sendable {
    @Turn private weak var item: AVPlayerItem?

    @Turn init(item: AVPlayerItem) { self.item = item }

    /// The rate in media seconds per second; 0 while the player waits or another item is current (R-RATE-03). If the pitch algorithm does not support
    /// the requested rate, it is the rate that is used instead (R-PITCH-02).
    public var rate: Double { Turn.perform { item?.effectiveRate ?? 0 } }
    public var time: CMTime { Turn.perform { item?.currentTime() ?? .zero } }
}

public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }
public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }
