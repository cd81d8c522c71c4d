/// Decides when the next attempt after a failed transfer begins, and when the medium has failed. It is a value without a clock, asked after each
/// failed attempt.
public struct RetryPolicy: Sendable, Hashable {
    /// The duration of retries after all buffered audio was heard, in seconds.
    public var patience: Double
    /// The duration of retries of an opening that a user waits for, in seconds.
    public var openingPatience: Double

    public init(patience: Double = RetryPolicy.defaultPatience, openingPatience: Double = 10) {
        self.patience = max(0, patience)
        self.openingPatience = max(0, openingPatience)
    }

    public static let defaultPatience = 60.0
    /// The delays before the attempts, in seconds. The last one repeats.
    public static let delays: [Double] = [0, 0.5, 1, 2, 5]
    /// The number of attempts to reach a live stream that come at least each second, because the listener misses what the station sends meanwhile.
    public static let frequentLiveAttempts = 60
    /// The longest delay that a server can request (`Retry-After`), in seconds.
    public static let longestRequestedDelay = 120.0

    /// The kind of a failure, which decides whether another attempt can succeed.
    public enum Failure: Sendable, Hashable {
        /// The server was not reached or is silent, or the connection was lost or reset.
        case unreachable
        case unknownName
        /// The status of the HTTP response is an error.
        case status(Int)
        /// The response is malformed, the address forbidden, or the certificate invalid.
        case final
    }

    /// The circumstances of a failed attempt.
    public struct Situation: Sendable, Hashable {
        public var failure: Failure
        /// The number of failed attempts since the last byte, at least 1.
        public var attempt: Int
        public var hasStarted: Bool
        public var isLive = false
        /// The time since all buffered audio was heard, in seconds; nil if some is left, or nobody waits.
        public var starved: Double?
        /// The time since the first attempt of an opening that the user waits for, in seconds; nil if the medium is opened before it is needed.
        public var opening: Double?
        /// The delay that the server requests, in seconds (`Retry-After`, RFC 9110, section 10.2.3).
        public var requestedDelay: Double?

        public init(_ failure: Failure, attempt: Int, hasStarted: Bool) {
            self.failure = failure
            self.attempt = attempt
            self.hasStarted = hasStarted
        }
    }

    public enum Decision: Sendable, Hashable {
        /// The next attempt begins after this delay, in seconds.
        case retry(after: Double)
        case giveUp
    }

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
        // The last attempt is at the end of the patience.
        return .retry(after: min(delay, left))
    }

    /// The remaining patience, in seconds; nil for no limit.
    private func timeLeft(_ situation: Situation) -> Double? {
        guard let starved = situation.starved else { return nil }
        if !situation.hasStarted, let opening = situation.opening { return openingPatience - opening }
        return patience - starved
    }

    /// Whether another attempt can succeed. After a start, refused access or a missing medium may be temporary too: addresses expire
    /// and servers restart.
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
