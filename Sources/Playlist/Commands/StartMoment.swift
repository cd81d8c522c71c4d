/// The moment at which playback starts.
public enum StartMoment: Sendable, Hashable {
    /// A time of the server's monotonic clock, in seconds.
    case hostTime(Double)
    /// A date, in seconds since 1970-01-01 00:00 UTC. It stays a date if the machine's clock is set or the machine is suspended.
    case date(Double)

    /// The longest time until a start, in seconds.
    public static let longestWait = 366.0 * 86_400
    /// The largest time by which a start may lie in the past, in seconds. Such a start is immediate.
    public static let tolerance = 1.0
}
