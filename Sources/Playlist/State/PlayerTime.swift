/// The position that is heard at a host time. Any thread can compute it, from the device's clock.
public struct PlayerTime: Sendable, Hashable {
    /// The heard position in media time, in seconds.
    public var currentTime: Double
    /// The rate of playback; 0 while playback does not run.
    public var rate: Double
    /// The time on the server's monotonic clock at which the position is heard, in seconds.
    public var hostTime: Double
    /// Whether the position belongs to the state that was published last; otherwise it belongs to the state that is published next.
    public var isPublished: Bool
    public init(currentTime: Double, rate: Double, hostTime: Double, isPublished: Bool = true) {
        self.currentTime = currentTime
        self.rate = rate
        self.hostTime = hostTime
        self.isPublished = isPublished
    }
}
