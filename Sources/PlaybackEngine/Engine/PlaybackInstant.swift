public import CoreMedia
public import Platform

/// The item and the media position that are heard at a host time.
public struct PlaybackInstant: Sendable, Hashable {
    public var hostTime: HostTime
    /// The number of the output frame that is heard.
    public var frame: Int64
    /// The item that is heard; nil if nothing has been rendered.
    public var item: ItemID?
    /// The media position that is heard, as a time of the item `item`.
    public var time: CMTime
    /// The rate of playback, in media seconds for each second of host time; 0 if the device is stopped or has no frames.
    public var rate: Double
    public init(hostTime: HostTime, frame: Int64, item: ItemID?, time: CMTime, rate: Double) {
        self.hostTime = hostTime
        self.frame = frame
        self.item = item
        self.time = time
        self.rate = rate
    }
}
