import Platform
import PlaybackEngine
import Testing

@testable import PulseOutput

@Suite("Smoothing of the server's timing")
struct PlayheadTrackerTests {
    private let start = HostTime(seconds: 5_000)

    /// Returns an observation, `seconds` after the start: the server has read `read` frames, and the last of them is heard `latency` seconds later.
    private func observation(_ read: Int64, latency: Double, at seconds: Double, uncertainty: Double = 0.000_2) -> PlayheadTracker.Observation {
        PlayheadTracker.Observation(readFrames: read, latency: latency, time: start + seconds, uncertainty: uncertainty)
    }

    private func running() -> Tracked {
        let tracker = Tracked(PlayheadTracker(sampleRate: 1_000, frame: 100, now: start))
        tracker.begin(at: 100, observation(100, latency: 0.05, at: 0))
        tracker.observe(observation(150, latency: 0.1, at: 0), now: start)
        return tracker
    }

    @Test("the playhead rests at its first frame until the device's latency has passed, then runs")
    func latencyAtStart() {
        let tracker = Tracked(PlayheadTracker(sampleRate: 1_000, frame: 100, now: start))
        #expect(tracker.playhead == Playhead(frame: 100, hostTime: start, isRunning: false))
        tracker.begin(at: 100, observation(100, latency: 0.05, at: 0))
        #expect(tracker.playhead == Playhead(frame: 100, hostTime: start + 0.05, isRunning: true))
        #expect(tracker.playhead.frame(at: start + 0.04, sampleRate: 1_000) == 100)
        #expect(tracker.playhead.frame(at: start + 0.0601, sampleRate: 1_000) == 110)
    }

    @Test("the first observation after the start replaces the estimate, forwards at once and backwards by resting")
    func estimateIsReplaced() {
        for (latency, expected) in [(0.03, start + 0.03), (0.5, start + 0.5)] {
            let tracker = Tracked(PlayheadTracker(sampleRate: 1_000, frame: 100, now: start))
            tracker.begin(at: 100, observation(100, latency: 0.05, at: 0))
            #expect(tracker.observe(observation(110, latency: latency, at: 0.01), now: start + 0.01))
            #expect(tracker.playhead.frame == 100)
            #expect(abs(tracker.playhead.hostTime - expected) < 0.000_01)
            #expect(abs(tracker.correction - (latency - 0.05)) < 0.000_01, "the correction is the error of the estimate")
            #expect(tracker.observe(observation(210, latency: latency, at: 0.11), now: start + 0.11))
            #expect(abs(tracker.correction) < PlayheadTracker.noticeable)
        }
    }

    @Test("jitter of a few milliseconds is averaged: the playhead moves by a fifth of it")
    func jitter() {
        let tracker = running()
        for second in 1...10 {
            tracker.observe(observation(Int64(100 + 1_000 * second), latency: 0.05, at: Double(second)), now: start + Double(second))
        }
        let before = tracker.hostTime(of: 0)
        #expect(tracker.observe(observation(11_100, latency: 0.055, at: 11), now: start + 11))
        #expect(abs(tracker.hostTime(of: 0) - before - 0.001) < 0.000_01)
    }

    @Test("a device clock that is off by 100 parts per million is followed within 1.6 ms for an hour")
    func drift() {
        let tracker = running()
        for step in 1...4_000 {
            let time = Double(step) * 0.9
            let read = Int64((100 + time * 1_000 * 1.000_1).rounded())
            tracker.observe(observation(read, latency: 0.05, at: time), now: start + time)
            let heard = 100 + time * 1_000 * 1.000_1 - 50
            let reported = tracker.playhead.frame(at: start + time, sampleRate: 1_000)
            #expect(abs(Double(reported) - heard) <= 1.6)
        }
    }

    @Test("the playhead never steps back: it rests until the actual position has caught up")
    func neverBack() {
        let tracker = running()
        let reported = tracker.playhead.frame(at: start + 1, sampleRate: 1_000)
        #expect(tracker.observe(observation(1_100, latency: 0.06, at: 1), now: start + 1))
        #expect(tracker.playhead.frame == reported)
        #expect(tracker.playhead.hostTime > start + 1)
        #expect(tracker.playhead.frame(at: start + 1.001, sampleRate: 1_000) == reported)
        #expect(tracker.playhead.frame(at: start + 1.1, sampleRate: 1_000) > reported + 90)
    }

    @Test("an outlier is used only if the next observation agrees")
    func jump() {
        let tracker = running()
        let before = tracker.hostTime(of: 0)
        #expect(!tracker.observe(observation(1_100, latency: 0.35, at: 1), now: start + 1))
        #expect(tracker.hostTime(of: 0) == before)
        #expect(tracker.observe(observation(1_101, latency: 0.05, at: 1.001), now: start + 1.001))
        #expect(abs(tracker.hostTime(of: 0) - before) < 0.000_1)
        #expect(!tracker.observe(observation(2_100, latency: 0.35, at: 2), now: start + 2))
        #expect(tracker.observe(observation(2_101, latency: 0.351, at: 2.001), now: start + 2.001))
        #expect(abs(tracker.hostTime(of: 0) - before - 0.301) < 0.000_1)
    }

    @Test("an observation with an uncertain time only keeps the line within its bounds")
    func uncertain() {
        let tracker = running()
        let before = tracker.hostTime(of: 0)
        #expect(tracker.observe(observation(1_100, latency: 0.054, at: 1, uncertainty: 0.010), now: start + 1))
        #expect(tracker.hostTime(of: 0) == before)
        #expect(tracker.observe(observation(1_100, latency: 0.065, at: 1, uncertainty: 0.010), now: start + 1))
        #expect(abs(tracker.hostTime(of: 0) - before - 0.005) < 0.000_01)
    }

    @Test("freeze holds the heard frame, and playback resumes there")
    func freeze() {
        let tracker = running()
        tracker.freeze(now: start + 0.5)
        #expect(tracker.playhead == Playhead(frame: 550, hostTime: start + 0.5, isRunning: false))
        #expect(tracker.observe(observation(700, latency: 0.05, at: 3), now: start + 3))
        #expect(tracker.playhead.isRunning)
        #expect(tracker.playhead.frame == 650)
    }
}

/// A class that holds a tracker (a value), so that a call inside `#expect` can change the tracker.
private final class Tracked {
    private var tracker: PlayheadTracker
    init(_ tracker: PlayheadTracker) { self.tracker = tracker }
    var playhead: Playhead { tracker.playhead }
    var correction: Double { tracker.correction }
    func hostTime(of frame: Int64) -> HostTime { tracker.hostTime(of: frame) }
    func begin(at frame: Int64, _ observation: PlayheadTracker.Observation) { tracker.begin(at: frame, observation) }
    func freeze(now: HostTime) { tracker.freeze(now: now) }
    @discardableResult
    func observe(_ observation: PlayheadTracker.Observation, now: HostTime) -> Bool { tracker.observe(observation, now: now) }
}
