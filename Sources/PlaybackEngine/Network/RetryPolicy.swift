/// The rule for retries after a failed transfer from a server: when the next attempt begins, and when the medium has failed.
///
/// The policy is a value without a clock. The thread that reads a remote medium asks the policy after each failed attempt (`decide`).
public struct RetryPolicy: Sendable, Hashable {
    /// The time for which retries continue after all buffered audio has been heard, in seconds.
    public var patience: Double
    /// The time for which retries of the opening of a medium continue while a user waits for the medium, in seconds.
    public var openingPatience: Double

    public init(patience: Double = RetryPolicy.defaultPatience, openingPatience: Double = 10) {
        self.patience = max(0, patience)
        self.openingPatience = max(0, openingPatience)
    }

    public static let defaultPatience = 60.0
    /// The waiting times before the attempts, in seconds. The first retry begins at once, and the last waiting time repeats.
    public static let delays: [Double] = [0, 0.5, 1, 2, 5]
    /// The number of failed attempts up to which the waiting time of a live stream is at most 1 s, unless the server requests a longer one. The
    /// attempts are frequent, because the listener misses the audio that the station sends while the stream is not connected.
    public static let frequentLiveAttempts = 60
    /// The longest waiting time that a server can request (`Retry-After`), in seconds.
    public static let longestRequestedDelay = 120.0

    /// The kind of a failed transfer, which decides whether another attempt can succeed.
    public enum Failure: Sendable, Hashable {
        /// The server was not reached, or the connection was lost, reset or silent.
        case unreachable
        /// The server's name does not exist.
        case unknownName
        /// The server responded with an HTTP status that is an error.
        case status(Int)
        /// Another attempt cannot succeed: the response is malformed, the address is not allowed, the certificate is not valid.
        case final
    }

    /// The circumstances of a failed attempt.
    public struct Situation: Sendable, Hashable {
        public var failure: Failure
        /// The number of failed attempts since the last byte arrived, at least 1.
        public var attempt: Int
        /// Whether bytes of the medium have been received before.
        public var hasStarted: Bool
        /// Whether the medium is a live stream, which has no end.
        public var isLive = false
        /// The time since all buffered audio was heard, in seconds; nil if buffered audio is left, or if nobody waits for the audio.
        public var starved: Double?
        /// The time since the first attempt to open the medium that the user waits for, in seconds; nil if the medium was opened ahead, before it was
        /// needed.
        public var opening: Double?
        /// The waiting time that the server has requested, in seconds (`Retry-After`, RFC 9110, section 10.2.3); nil if there is none.
        public var requestedDelay: Double?

        public init(_ failure: Failure, attempt: Int, hasStarted: Bool) {
            self.failure = failure
            self.attempt = attempt
            self.hasStarted = hasStarted
        }
    }

    public enum Decision: Sendable, Hashable {
        /// The next attempt begins after the associated number of seconds.
        case retry(after: Double)
        /// The medium has failed.
        case giveUp
    }

    /// Returns whether and when another attempt begins after a failed attempt.
    public func decide(_ situation: Situation) -> Decision {
        guard RetryPolicy.canHeal(situation.failure, hasStarted: situation.hasStarted) else { return .giveUp }
        let isLive = situation.isLive && situation.hasStarted
        var delay = RetryPolicy.delays[min(max(1, situation.attempt), RetryPolicy.delays.count) - 1]
        if isLive, situation.attempt <= RetryPolicy.frequentLiveAttempts { delay = min(delay, 1) }
        if let requested = situation.requestedDelay, requested.isFinite {
            delay = max(delay, min(max(0, requested), RetryPolicy.longestRequestedDelay))
        }
        guard !isLive, let left = timeLeft(situation) else { return .retry(after: delay) }
        guard left > 0 else { return .giveUp }
        // The last attempt is made at the end of the patience, whatever the waiting time before it.
        return .retry(after: min(delay, left))
    }

    /// The time for which retries continue, in seconds; nil if there is no limit.
    private func timeLeft(_ situation: Situation) -> Double? {
        guard let starved = situation.starved else { return nil }
        if !situation.hasStarted, let opening = situation.opening { return openingPatience - opening }
        return patience - starved
    }

    /// Returns whether a failure may be temporary. After a successful start, access that is refused or a medium that is missing may be temporary too,
    /// because addresses of media expire and servers restart.
    static func canHeal(_ failure: Failure, hasStarted: Bool) -> Bool {
        switch failure {
        case .unreachable: true
        case .unknownName: hasStarted
        case .status(408), .status(425), .status(429), .status(500...599): true
        case .status(403), .status(404), .status(410): hasStarted
        case .status, .final: false
        }
    }
}
