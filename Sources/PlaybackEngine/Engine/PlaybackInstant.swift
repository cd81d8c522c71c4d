public import CoreMedia

/// The position heard at a host time.
public struct PlaybackInstant: Sendable, Hashable {
    public var hostTime: HostTime
    /// The output frame that is heard.
    public var frame: Int64
    /// The item that is heard, nil if nothing has been rendered.
    public var item: ItemID?
    /// The media time of that item.
    public var time: CMTime
    /// Media seconds for each second of host time; 0 if the device is stopped or has run out of frames.
    public var rate: Double
    public init(hostTime: HostTime, frame: Int64, item: ItemID?, time: CMTime, rate: Double) {
        self.hostTime = hostTime
        self.frame = frame
        self.item = item
        self.time = time
        self.rate = rate
    }
}
