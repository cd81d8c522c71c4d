import PlaybackEngine
import Testing

@Suite("Prediction of stalls")
struct KeepUpEstimatorTests {
    /// A medium of 100,000 bytes a second.
    private func buffer(_ ahead: Double, missing: Double?) -> KeepUpEstimator.Buffer {
        KeepUpEstimator.Buffer(ahead: ahead, missing: missing, bytesPerSecond: 100_000)
    }
    /// An estimator that has measured a link which delivers `speed` seconds of the medium a second.
    private func estimator(_ speed: Double, stalls: Int = 0) -> KeepUpEstimator {
        var estimator = KeepUpEstimator()
        estimator.count(bytes: Int64(speed * 200_000), seconds: 2)
        for _ in 0..<stalls { estimator.stalled() }
        return estimator
    }

    @Test("before anything was measured, a quarter of a second is enough (R-BUF-05)")
    func unmeasured() {
        let estimator = KeepUpEstimator()
        #expect(estimator.speed == nil)
        #expect(!estimator.isLikely(buffer(0.24, missing: 300), rate: 1))
        #expect(estimator.isLikely(buffer(0.25, missing: 300), rate: 1))
        #expect(!estimator.isLikely(buffer(0.25, missing: 300), rate: 2))
    }

    @Test("a link that is fast enough needs a quarter of a second", arguments: [1.0, 1.2, 10])
    func fastEnough(_ speed: Double) { #expect(estimator(speed).need(buffer(0, missing: 300), rate: 1) == 0.25) }

    @Test("a link at 0.8 × needs a quarter of what is missing, with a margin and a reserve (R-NET-08)")
    func slow() {
        let need = estimator(0.8).need(buffer(0, missing: 100), rate: 1)
        #expect(abs(need - 28) < 1e-9)
        #expect(!estimator(0.8).isLikely(buffer(27.9, missing: 100), rate: 1))
        #expect(estimator(0.8).isLikely(buffer(28.1, missing: 100), rate: 1))
    }

    @Test("a link that is too slow for the rate needs more at a higher rate")
    func rates() {
        #expect(abs(estimator(1.2).need(buffer(0, missing: 60), rate: 1.5) - (60 * 0.3 / 1.2 * 1.1 + 0.75)) < 1e-9)
        #expect(estimator(1.2).need(buffer(0, missing: 60), rate: 0.5) == 0.25)
        #expect(estimator(1.2).need(buffer(0, missing: 60), rate: -1) == 0.25)
    }

    @Test("a medium that was transferred completely starts at once, also after stalls and over a slow link")
    func complete() { #expect(estimator(0.1, stalls: 5).isLikely(buffer(0.25, missing: 0), rate: 1)) }

    @Test("a medium without a known end needs only a quarter of a second before the first stall")
    func endless() { #expect(estimator(0.5).need(buffer(0, missing: nil), rate: 1) == 0.25) }

    @Test(
        "each stall doubles the amount that is buffered before playback continues, up to 30 s",
        arguments: [(1, 2.0), (2, 4), (3, 8), (4, 16), (5, 30), (1000, 30)])
    func hysteresis(_ stalls: Int, _ need: Double) { #expect(estimator(1.2, stalls: stalls).need(buffer(0, missing: 300), rate: 1) == need) }

    @Test("a link that delivers nothing is never likely to keep up")
    func dead() { #expect(!estimator(0).isLikely(buffer(1e6, missing: 1), rate: 1)) }

    @Test("only the last seconds of the transfer count, and idle time does not")
    func recent() {
        var estimator = KeepUpEstimator()
        estimator.count(bytes: 100_000_000, seconds: 10)
        for second in 1...40 { estimator.count(bytes: 100_000_000 + Int64(second) * 80_000, seconds: 10 + Double(second)) }
        let speed = estimator.speed ?? 0
        #expect(speed < 90_000 && speed >= 80_000)
        estimator.count(bytes: 103_200_000, seconds: 50)
        #expect(estimator.speed == speed)
    }

    @Test("counts that begin anew, because the medium was opened again, are no transfer")
    func restart() {
        var estimator = estimator(0.8)
        let speed = estimator.speed
        estimator.count(bytes: 0, seconds: 0)
        #expect(estimator.speed == speed)
    }

    /// Plays a medium over a link of constant speed, in steps of 10 ms. Returns the number of waits and the length of the longest one.
    private func waits(speed: Double, seconds: Double, capacity: Double = .infinity) -> (count: Int, longest: Double) {
        var estimator = KeepUpEstimator(), ahead = 0.0, missing = seconds, count = 0, longest = 0.0, wait = 0.0, isPlaying = false, time = 0.0
        var bytes = 0.0, busy = 0.0
        let step = 0.01
        while missing > 1e-9 || ahead > 1e-9 {
            if missing > 0, ahead < capacity {
                let part = min(missing, speed * step)
                (missing, ahead, bytes, busy) = (missing - part, ahead + part, bytes + part * 100_000, busy + step)
                if missing < 1e-9 { missing = 0 }
            }
            estimator.count(bytes: Int64(bytes), seconds: busy)
            if isPlaying {
                ahead -= step
                if ahead <= 0, missing > 0 {
                    (ahead, isPlaying, wait) = (0, false, 0)
                    estimator.stalled()
                }
            } else {
                if wait == 0 { count += 1 }
                wait += step
                if estimator.isLikely(buffer(ahead, missing: missing), rate: 1) || ahead >= capacity || missing == 0 { isPlaying = true }
                longest = max(longest, wait)
            }
            time += step
            if time > 100_000 { break }
            if isPlaying, missing == 0 { break }
        }
        return (count, longest)
    }

    @Test("a medium over a link of 0.8 × waits at most twice", arguments: [40.0, 240, 3600])
    func atMostTwoWaits(_ seconds: Double) { #expect(waits(speed: 0.8, seconds: seconds).count <= 2) }

    @Test("a medium over a link of 1.2 × waits once, for a moment", arguments: [40.0, 3600])
    func oneWait(_ seconds: Double) {
        let waits = waits(speed: 1.2, seconds: seconds)
        #expect(waits.count == 1)
        #expect(waits.longest < 0.3)
    }
}
