import Platform
import PlaybackEngine

/// A playhead that advances steadily, computed from observations of a PulseAudio stream's timing.
///
/// Frame n is heard at the host time `origin` + n / rate. Each observation yields an origin, and they differ slightly, because the threads of the
/// server and of this program do not run at exact times. The tracker averages them, which follows the drift between the clocks: if they differ by 100
/// parts per million, the average of five observations is late by less than half a millisecond. An origin that deviates by more than 20 ms is
/// accepted only if the next observation confirms it. While the stream runs, the playhead never moves back, but waits until a later origin has caught
/// up.
struct PlayheadTracker {
    struct Observation {
        /// The frames that the server has read from the stream.
        var readFrames: Int64
        /// The time from the reading of a frame until it is heard, in seconds.
        var latency: Double
        var time: HostTime
        /// The possible error of `time`, in seconds.
        var uncertainty: Double
    }

    /// In seconds; a larger deviation of the origin must be confirmed by the next observation.
    private static let jump = 0.020
    /// In seconds; the largest difference between a doubted observation and the next one that confirms it.
    private static let agreement = 0.005
    /// In seconds; an observation with a larger uncertainty is not averaged, and only keeps the origin within the interval that it allows.
    private static let precise = 0.001
    /// In seconds; after a larger correction, host times of later frames must be computed again.
    static let noticeable = 0.005
    /// The number of observations in the average.
    private static let memory = 5

    private let sampleRate: Double
    private(set) var playhead: Playhead
    /// The host time of frame 0, in nanoseconds.
    private var origin: Int64 = 0
    /// The number of averaged observations; 0 before the first one and after `renew`, while the origin is a guess.
    private var observations = 0
    /// An origin that deviates too much; accepted if the next observation confirms it.
    private var doubted: Int64?
    /// The change of the origin by the last observation, in seconds.
    private(set) var correction = 0.0

    init(sampleRate: Int, frame: Int64, now: HostTime) {
        self.sampleRate = Double(sampleRate)
        playhead = Playhead(frame: frame, hostTime: now, isRunning: false)
    }

    /// Stops the playhead at `frame`: the frames before it have been heard or will be, and no others.
    mutating func rest(at frame: Int64, now: HostTime) {
        playhead = Playhead(frame: frame, hostTime: now, isRunning: false)
        renew()
    }

    mutating func freeze(now: HostTime) { rest(at: playhead.frame(at: now, sampleRate: Int(sampleRate)), now: now) }

    /// Makes the tracker accept the next observation without confirmation.
    mutating func renew() {
        observations = 0
        doubted = nil
    }

    /// Starts the playhead, which stays at `frame` until, by `observation`, a later frame is heard. The origin is a guess until `observe` is called.
    mutating func begin(at frame: Int64, _ observation: Observation) {
        rest(at: frame, now: observation.time)
        origin = origin(of: observation)
        report(now: observation.time)
    }

    /// Adjusts the origin. Returns false if the timing must be observed again soon, to confirm a deviation.
    mutating func observe(_ observation: Observation, now: HostTime) -> Bool {
        let former = origin
        defer { correction = Double(origin - former) / 1e9 }
        let observed = origin(of: observation)
        let difference = observed - origin
        let uncertainty = nanoseconds(observation.uncertainty)
        if observations == 0 {
            origin = observed
            observations = 1
        } else if abs(difference) <= nanoseconds(Self.jump) + uncertainty {
            if observation.uncertainty <= Self.precise {
                observations = min(observations + 1, Self.memory)
                origin += difference / Int64(observations)
            } else {
                origin = min(max(origin, observed - uncertainty), observed + uncertainty)
            }
        } else if let doubted, abs(doubted - observed) <= nanoseconds(Self.agreement) + uncertainty {
            origin = observed
            observations = 1
        } else {
            doubted = observed
            return false
        }
        doubted = nil
        report(now: now)
        return true
    }

    /// The host time at which a frame is heard; valid only while the stream runs.
    func hostTime(of frame: Int64) -> HostTime { HostTime(nanoseconds: origin + nanoseconds(Double(frame) / sampleRate)) }

    /// The frame that is heard at a host time, if the stream has no underrun.
    func frame(at time: HostTime) -> Int64 { Int64((Double(time.nanoseconds - origin) / 1e9 * sampleRate).rounded(.down)) }

    private func origin(of observation: Observation) -> Int64 {
        observation.time.nanoseconds - nanoseconds(Double(observation.readFrames) / sampleRate - observation.latency)
    }

    /// Updates the playhead, which never moves back.
    private mutating func report(now: HostTime) {
        let reported = playhead.frame(at: now, sampleRate: Int(sampleRate))
        let frame = max(reported, frame(at: now))
        playhead = Playhead(frame: frame, hostTime: hostTime(of: frame), isRunning: true)
    }

    private func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
}
