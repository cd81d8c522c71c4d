import PlaybackEngine
import Testing

@Suite("Retries of transfers")
struct RetryPolicyTests {
    private func situation(
        _ failure: RetryPolicy.Failure = .unreachable, attempt: Int = 1, hasStarted: Bool = true, starved: Double? = nil, opening: Double? = nil,
        isLive: Bool = false, requested: Double? = nil
    ) -> RetryPolicy.Situation {
        var situation = RetryPolicy.Situation(failure, attempt: attempt, hasStarted: hasStarted)
        (situation.starved, situation.opening, situation.isLive, situation.requestedDelay) = (starved, opening, isLive, requested)
        return situation
    }

    @Test(
        "the attempts begin at once, after 0.5, 1, 2 and 5 s, and then every 5 s (R-NET-01)",
        arguments: [(0, 0), (1, 0), (2, 0.5), (3, 1), (4, 2), (5, 5), (6, 5), (1_000_000, 5)])
    func delays(_ attempt: Int, _ delay: Double) {
        #expect(RetryPolicy().decide(situation(attempt: attempt)) == .retry(after: delay))
    }

    @Test(
        "after a successful start, lost connections, errors of the server and refused access are retried",
        arguments: [
            RetryPolicy.Failure.unreachable, .unknownName, .status(500), .status(502), .status(503), .status(504), .status(408), .status(425),
            .status(429), .status(403), .status(404), .status(410),
        ])
    func retriedAfterStart(_ failure: RetryPolicy.Failure) {
        #expect(RetryPolicy().decide(situation(failure)) == .retry(after: 0))
    }

    @Test(
        "before the first byte, a lost connection and an error of the server are retried",
        arguments: [RetryPolicy.Failure.unreachable, .status(500), .status(503), .status(408), .status(429)])
    func retriedAtOpen(_ failure: RetryPolicy.Failure) {
        #expect(RetryPolicy().decide(situation(failure, hasStarted: false, starved: 0)) == .retry(after: 0))
    }

    @Test(
        "before the first byte, a medium that is missing, refused access and an unknown name fail at once",
        arguments: [RetryPolicy.Failure.status(403), .status(404), .status(410), .status(401), .status(400), .status(204), .unknownName, .final])
    func finalAtOpen(_ failure: RetryPolicy.Failure) {
        #expect(RetryPolicy().decide(situation(failure, hasStarted: false, starved: 0)) == .giveUp)
    }

    @Test(
        "a failure that no attempt can heal is final at any time",
        arguments: [RetryPolicy.Failure.final, .status(401), .status(400), .status(405), .status(416), .status(204)])
    func finalAfterStart(_ failure: RetryPolicy.Failure) {
        #expect(RetryPolicy().decide(situation(failure)) == .giveUp)
        #expect(RetryPolicy().decide(situation(failure, isLive: true)) == .giveUp)
    }

    @Test("while audio is buffered, no number of attempts is too large (R-NET-02)")
    func neverWhileBuffered() {
        #expect(RetryPolicy(patience: 0, openingPatience: 0).decide(situation(attempt: 100_000)) == .retry(after: 5))
    }

    @Test(
        "after the buffered audio was heard, attempts continue for 60 s, and the last one is made at the end of that time",
        arguments: [(0.0, 5.0), (54, 5), (57, 3), (59.5, 0.5)])
    func patience(_ starved: Double, _ delay: Double) {
        #expect(RetryPolicy().decide(situation(attempt: 20, starved: starved)) == .retry(after: delay))
    }

    @Test("after the patience a medium has failed", arguments: [60.0, 61, 1e9])
    func impatience(_ starved: Double) {
        #expect(RetryPolicy().decide(situation(attempt: 20, starved: starved)) == .giveUp)
    }

    @Test("the patience is a setting, and a negative one is none")
    func setting() {
        #expect(RetryPolicy(patience: 5).decide(situation(starved: 4)) == .retry(after: 0))
        #expect(RetryPolicy(patience: 5).decide(situation(starved: 5)) == .giveUp)
        #expect(RetryPolicy(patience: -1).decide(situation(starved: 0)) == .giveUp)
        #expect(RetryPolicy(patience: -1) == RetryPolicy(patience: 0))
    }

    @Test("the opening of a medium that a user waits for is retried for 10 s: a server that refuses four times is reached by the fifth attempt")
    func opening() {
        var time = 0.0
        for attempt in 1...4 {
            guard
                case .retry(let delay) = RetryPolicy().decide(
                    situation(.status(503), attempt: attempt, hasStarted: false, starved: time, opening: time))
            else {
                Issue.record("given up after \(attempt) attempts")
                return
            }
            time += delay
        }
        #expect(time == 3.5)
        #expect(RetryPolicy().decide(situation(attempt: 6, hasStarted: false, starved: 9, opening: 9)) == .retry(after: 1))
        #expect(RetryPolicy().decide(situation(attempt: 7, hasStarted: false, starved: 10, opening: 10)) == .giveUp)
    }

    @Test("the opening of a medium that nobody waits for yet is retried without a limit, and then has the whole patience")
    func openingAhead() {
        #expect(RetryPolicy().decide(situation(attempt: 50, hasStarted: false)) == .retry(after: 5))
        #expect(RetryPolicy().decide(situation(attempt: 50, hasStarted: false, starved: 54)) == .retry(after: 5))
        #expect(RetryPolicy().decide(situation(attempt: 50, hasStarted: false, starved: 60)) == .giveUp)
    }

    @Test("a live stream is retried until it is stopped (R-NET-02)")
    func live() {
        #expect(RetryPolicy().decide(situation(attempt: 500, starved: 1e6, isLive: true)) == .retry(after: 5))
        #expect(RetryPolicy().decide(situation(.status(404), attempt: 1, starved: 1e6, isLive: true)) == .retry(after: 0))
    }

    @Test(
        "a live stream is tried again every second for a minute, then every 5 s (R-NET-01)",
        arguments: [(1, 0), (2, 0.5), (3, 1), (4, 1), (60, 1), (61, 5), (1_000_000, 5)])
    func liveDelays(_ attempt: Int, _ delay: Double) {
        #expect(RetryPolicy().decide(situation(attempt: attempt, isLive: true)) == .retry(after: delay))
    }

    @Test("a live stream that cannot be opened fails like any medium")
    func liveAtOpen() {
        #expect(RetryPolicy().decide(situation(hasStarted: false, starved: 10, opening: 10, isLive: true)) == .giveUp)
    }

    @Test(
        "the waiting time that a server requests is respected, up to 120 s and within the patience",
        arguments: [(3.0, 3.0), (0, 0), (-5, 0), (600, 120), (.infinity, 0), (.nan, 0)])
    func requestedDelay(_ requested: Double, _ delay: Double) {
        #expect(RetryPolicy().decide(situation(.status(429), requested: requested)) == .retry(after: delay))
        #expect(RetryPolicy().decide(situation(.status(429), starved: 58, requested: requested)) == .retry(after: min(delay, 2)))
    }

    @Test("a requested waiting time does not shorten the policy's own")
    func shorterRequest() {
        #expect(RetryPolicy().decide(situation(.status(503), attempt: 5, requested: 1)) == .retry(after: 5))
    }
}
