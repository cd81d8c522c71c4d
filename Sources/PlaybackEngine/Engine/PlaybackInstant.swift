public import CoreMedia

/// What is heard at one moment.
public struct PlaybackInstant: Sendable, Hashable {
    public var hostTime: HostTime
    /// The output frame heard.
    public var frame: Int64
    /// The item heard, nil where nothing has been rendered.
    public var item: ItemID?
    /// Its media time.
    public var time: CMTime
    /// Media seconds for each second of host time right now: 0 where the device is stopped or has run out of frames.
    public var rate: Double
    public init(hostTime: HostTime, frame: Int64, item: ItemID?, time: CMTime, rate: Double) {
        self.hostTime = hostTime
        self.frame = frame
        self.item = item
        self.time = time
        self.rate = rate
    }
}
