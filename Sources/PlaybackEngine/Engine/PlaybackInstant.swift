public import CoreMedia
public import Platform

/// The item and the media position that are heard at a host time.
public struct PlaybackInstant: Sendable, Hashable {
    public var hostTime: HostTime
    /// The number of the output frame.
    public var frame: Int64
    /// Nil if nothing has been rendered.
    public var item: ItemID?
    /// A media time of `item`.
    public var time: CMTime
    /// Media seconds for each second of host time; 0 if the device is stopped or has no frames.
    public var rate: Double
    public init(hostTime: HostTime, frame: Int64, item: ItemID?, time: CMTime, rate: Double) {
        self.hostTime = hostTime
        self.frame = frame
        self.item = item
        self.time = time
        self.rate = rate
    }
}
