public import CoreMedia

/// The read-only clock of an item's media time (R-ITEM-08): the position that is heard, and the actual rate. The timebase is used on the main actor,
/// like the item.
@preconcurrency @MainActor public final class CMTimebase {
    private weak var item: AVPlayerItem?

    init(item: AVPlayerItem) { self.item = item }

    /// The rate of the item's media time, in media seconds per second; 0 while the player waits or another item is current (R-RATE-03). If the pitch
    /// algorithm does not support the requested rate, the timebase has the rate that is used instead (R-PITCH-02).
    public var rate: Double {
        demandMainQueue(CMTimebase.self)
        return item?.effectiveRate ?? 0
    }
    /// The position of the item that is heard now.
    public var time: CMTime {
        demandMainQueue(CMTimebase.self)
        return item?.currentTime() ?? .zero
    }
}

/// Apple's function for `CMTimebase.rate`.
@MainActor public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }
/// Apple's function for `CMTimebase.time`.
@MainActor public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }
