/// The position that is heard, computed from the device's clock on any thread.
public struct PlayerTime: Sendable, Hashable {
    /// The position in media time, in seconds.
    public var currentTime: Double
    /// The rate; 0 while playback does not run.
    public var rate: Double
    /// The time of the server's monotonic clock for this position, in seconds.
    public var hostTime: Double
    public init(currentTime: Double, rate: Double, hostTime: Double) { self.currentTime = currentTime; self.rate = rate; self.hostTime = hostTime }
}
