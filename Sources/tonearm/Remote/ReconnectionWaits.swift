/// The waits between attempts to connect again: each is twice as long as the one before, up to a limit.
struct ReconnectionWaits: Sendable, Hashable {
    /// The first wait and the longest one, in seconds.
    static let first = 0.5, longest = 15.0

    private var upcoming = Self.first

    /// Returns the next wait, in seconds.
    mutating func next() -> Double {
        defer { upcoming = min(Self.longest, 2 * upcoming) }
        return upcoming
    }

    /// Starts with the first wait again.
    mutating func reset() { upcoming = Self.first }
}
