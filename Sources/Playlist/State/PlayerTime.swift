/// What is heard right now, computed from the device's clock without visiting the main actor.
public struct PlayerTime: Sendable, Hashable {
    /// Seconds of media time.
    public var currentTime: Double
    /// Media seconds a second, 0 while nothing moves.
    public var rate: Double
    /// Seconds of the server's monotonic clock at which it holds.
    public var hostTime: Double
    public init(currentTime: Double, rate: Double, hostTime: Double) { self.currentTime = currentTime; self.rate = rate; self.hostTime = hostTime }
}
