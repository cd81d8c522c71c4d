import Platform
import PlaybackEngine

/// Makes a playhead that advances steadily, from observations of a PulseAudio stream's timing.
///
/// The frames of a running stream are heard along a straight line: frame n at the host time `origin` + n / rate. Each observation of the stream's
/// timing yields the origin of the line (the host time of frame 0). The origins differ slightly, because the threads of the server and of this
/// program do not run at exact times. The tracker averages the origins that it has observed.
///
/// The clock of the device is slightly faster or slower than that of the computer. The average follows this drift: if the clocks differ by 100 parts
/// per million, an average over five observations is late by less than half a millisecond. A deviation of more than 20 ms is accepted only after a
/// second observation has confirmed it. While the stream runs, the playhead never moves backwards: if the estimated frame is before the last reported
/// frame, the playhead stays at the reported frame until the estimate has reached it.
struct PlayheadTracker {
    /// One observation of a PulseAudio stream's timing.
    struct Observation {
        /// The number of frames that the PulseAudio server had read from the stream.
        var readFrames: Int64
        /// The latency from the server's reading of a frame until the frame is heard, in seconds.
        var latency: Double
        /// The host time at which the stream's timing was observed.
        var time: HostTime
        /// The possible error of the observation's host time, in seconds.
        var uncertainty: Double
    }

    /// The maximum deviation of an observation from the expected timing, in seconds, at which the observation is accepted without confirmation. After
    /// a larger deviation, the next observation must confirm the deviation.
    private static let jump = 0.020
    /// The maximum difference between two observed timings, in seconds, at which the second observation confirms the first.
    private static let agreement = 0.005
    /// The maximum uncertainty of an observation that enters the average, in seconds. An observation with a larger uncertainty only keeps the origin
    /// (the host time of frame 0) within the interval of host times that the observation allows.
    private static let precise = 0.001
    /// The minimum correction of the playhead, in seconds, after which host times that were computed for later frames must be computed again.
    static let noticeable = 0.005
    /// The maximum number of observations of the timing in the average.
    private static let memory = 5

    private let sampleRate: Double
    private(set) var playhead: Playhead
    /// The host time at which frame 0 of the stream would have been heard, in nanoseconds.
    private var origin: Int64 = 0
    /// The number of observations of the timing in the average. Before the first observation, and after `renew`, the number is 0: the origin (the
    /// host time of frame 0) is a guess.
    private var observations = 0
    /// An origin (a host time of frame 0, in nanoseconds) that deviates too much from the present origin to be accepted at once. The origin is
    /// accepted if the next observation confirms it. Nil if the last observation was accepted.
    private var doubted: Int64?
    /// The change of the origin (the host time of frame 0) by the last observation of the running stream, in seconds.
    private(set) var correction = 0.0

    init(sampleRate: Int, frame: Int64, now: HostTime) {
        self.sampleRate = Double(sampleRate)
        playhead = Playhead(frame: frame, hostTime: now, isRunning: false)
    }

    /// Stops the playhead at `frame`: the frames before `frame` have been heard or will still be heard, and no others.
    mutating func rest(at frame: Int64, now: HostTime) {
        playhead = Playhead(frame: frame, hostTime: now, isRunning: false)
        renew()
    }

    /// Stops the playhead at its present position.
    mutating func freeze(now: HostTime) { rest(at: playhead.frame(at: now, sampleRate: Int(sampleRate)), now: now) }

    /// Discards the average of the observed timings: the next observation is accepted without confirmation.
    mutating func renew() {
        observations = 0
        doubted = nil
    }

    /// Starts the playhead of a stream that begins to play. The playhead stays at `frame` until, according to `observation`, a later frame is heard.
    /// The origin (the host time of frame 0) is a guess until the first call of `observe`.
    mutating func begin(at frame: Int64, _ observation: Observation) {
        rest(at: frame, now: observation.time)
        origin = origin(of: observation)
        report(now: observation.time)
    }

    /// Processes an observation of the running stream's timing.
    ///
    /// - Returns: False if the observed timing deviates so much that the next observation must confirm the deviation. The stream's timing must then
    ///   be observed again soon.
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

    /// Returns the host time at which `frame` is heard. The result is valid only while the stream runs.
    func hostTime(of frame: Int64) -> HostTime { HostTime(nanoseconds: origin + nanoseconds(Double(frame) / sampleRate)) }

    /// Returns the frame that a stream without underruns would play at the host time `time`.
    func frame(at time: HostTime) -> Int64 { Int64((Double(time.nanoseconds - origin) / 1e9 * sampleRate).rounded(.down)) }

    private func origin(of observation: Observation) -> Int64 {
        observation.time.nanoseconds - nanoseconds(Double(observation.readFrames) / sampleRate - observation.latency)
    }

    /// Moves the playhead to the frame that is heard now. If a later frame has already been reported, the playhead does not move back.
    private mutating func report(now: HostTime) {
        let reported = playhead.frame(at: now, sampleRate: Int(sampleRate))
        let frame = max(reported, frame(at: now))
        playhead = Playhead(frame: frame, hostTime: hostTime(of: frame), isRunning: true)
    }

    private func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
}
