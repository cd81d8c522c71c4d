import Platform
import PlaybackEngine

/// A playhead that advances steadily, from observations of a PulseAudio stream's timing.
///
/// Frame n is heard at the host time `origin` + n / rate. Each observation yields an origin, and they differ slightly, because the threads of the
/// server and of this program do not run at exact times. The tracker averages them, which follows the drift between the clocks: at 100 parts per
/// million, five observations are late by less than half a millisecond. A deviation of more than 20 ms needs a second observation. While the stream
/// runs, the playhead never moves back, but waits for the estimate.
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

    /// In seconds; a larger deviation must be confirmed by the next observation.
    private static let jump = 0.020
    /// In seconds; the largest difference between a doubted observation and the next one that confirms it.
    private static let agreement = 0.005
    /// In seconds; a less certain observation only keeps the origin within the interval that it allows.
    private static let precise = 0.001
    /// In seconds; after a larger correction, host times of later frames must be computed again.
    static let noticeable = 0.005
    /// The number of observations in the average.
    private static let memory = 5

    private let sampleRate: Double
    private(set) var playhead: Playhead
    /// The host time of frame 0, in nanoseconds.
    private var origin: Int64 = 0
    /// 0 before the first observation and after `renew`, when the origin is a guess.
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

    /// The next observation is accepted without confirmation.
    mutating func renew() {
        observations = 0
        doubted = nil
    }

    /// Starts the playhead, which stays at `frame` until a later one is heard by `observation`. The origin is a guess until `observe`.
    mutating func begin(at frame: Int64, _ observation: Observation) {
        rest(at: frame, now: observation.time)
        origin = origin(of: observation)
        report(now: observation.time)
    }

    /// False if the timing must be observed again soon, to confirm a deviation.
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

    /// Valid only while the stream runs.
    func hostTime(of frame: Int64) -> HostTime { HostTime(nanoseconds: origin + nanoseconds(Double(frame) / sampleRate)) }

    /// The heard frame, if the stream has no underrun.
    func frame(at time: HostTime) -> Int64 { Int64((Double(time.nanoseconds - origin) / 1e9 * sampleRate).rounded(.down)) }

    private func origin(of observation: Observation) -> Int64 {
        observation.time.nanoseconds - nanoseconds(Double(observation.readFrames) / sampleRate - observation.latency)
    }

    /// The playhead never moves back.
    private mutating func report(now: HostTime) {
        let reported = playhead.frame(at: now, sampleRate: Int(sampleRate))
        let frame = max(reported, frame(at: now))
        playhead = Playhead(frame: frame, hostTime: hostTime(of: frame), isRunning: true)
    }

    private func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
}
