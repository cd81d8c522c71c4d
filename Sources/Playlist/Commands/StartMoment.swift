/// The moment at which playback starts.
public enum StartMoment: Sendable, Hashable {
    /// A time of the server's monotonic clock, in seconds.
    case hostTime(Double)
    /// A date, in seconds since 1970-01-01 00:00 UTC. Playback starts at this date even if the machine's clock is set or the machine is suspended in
    /// the meantime.
    case date(Double)

    /// The maximum time from a command to the start that it requests, in seconds.
    public static let longestWait = 366.0 * 86_400
    /// The maximum delay of a start, in seconds. If a start's moment has passed by at most `tolerance` seconds, playback starts immediately; if more
    /// time has passed, the command is refused.
    public static let tolerance = 1.0
}
