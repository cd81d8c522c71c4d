import PlaybackEngine

/// Turns what the server says about a stream now and then into a steady playhead.
///
/// A stream that plays is heard along a straight line: frame n at `origin` + n / rate. Each observation gives that origin with some jitter of
/// the two processes' scheduling; the tracker averages it, keeps step with a device clock that runs differently from ours (an average over five
/// observations lags by less than half a millisecond at 100 parts per million), and takes a real change of latency only when it is confirmed.
/// What it tells never steps back: where the truth falls behind what was told, the playhead rests until the truth has caught up.
struct PlayheadTracker {
    /// One look at the stream.
    struct Observation {
        /// Frames that the server had read from the stream.
        var readFrames: Int64
        /// From the server's reading of a frame to the ear, in seconds.
        var latency: Double
        /// When this was so.
        var time: HostTime
        /// How far `time` may be off, in seconds.
        var uncertainty: Double
    }

    /// Observations that are this far off, in seconds, are believed when the next one says the same.
    private static let jump = 0.020
    /// How well two observations must agree to confirm each other.
    private static let agreement = 0.005
    /// Times known this well are averaged; others only bound the line.
    private static let precise = 0.001
    /// Corrections of so much, in seconds, matter to whoever foretells when a frame is heard.
    static let noticeable = 0.005
    /// Over how many observations the average goes.
    private static let memory = 5

    private let sampleRate: Double
    private(set) var playhead: Playhead
    /// The host time at which frame 0 would have been heard, in nanoseconds.
    private var origin: Int64 = 0
    /// How many observations the average stands for; 0 where it is a guess.
    private var observations = 0
    private var doubted: Int64?
    /// How far the last look at the running stream moved the line, in seconds.
    private(set) var correction = 0.0

    init(sampleRate: Int, frame: Int64, now: HostTime) {
        self.sampleRate = Double(sampleRate)
        playhead = Playhead(frame: frame, hostTime: now, isRunning: false)
    }

    /// The stream stands still; every frame before `frame` has been or will be heard.
    mutating func rest(at frame: Int64, now: HostTime) {
        playhead = Playhead(frame: frame, hostTime: now, isRunning: false)
        renew()
    }

    /// The stream stands still where it is.
    mutating func freeze(now: HostTime) { rest(at: playhead.frame(at: now, sampleRate: Int(sampleRate)), now: now) }

    /// What was observed so far says nothing about what comes: the next observation is believed.
    mutating func renew() {
        observations = 0
        doubted = nil
    }

    /// The stream begins to run; the next frame to be read, `frame`, will be heard after the latency observed. A guess until the first `observe`.
    mutating func begin(at frame: Int64, _ observation: Observation) {
        rest(at: frame, now: observation.time)
        origin = origin(of: observation)
        tell(now: observation.time)
    }

    /// A look at the running stream.
    ///
    /// - Returns: false where it was too far off to be believed alone: look again soon.
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
        tell(now: now)
        return true
    }

    /// When frame `frame` is heard, while running.
    func hostTime(of frame: Int64) -> HostTime { HostTime(nanoseconds: origin + nanoseconds(Double(frame) / sampleRate)) }

    /// The frame at which a stream would be heard that never ran dry.
    func frame(at time: HostTime) -> Int64 { Int64((Double(time.nanoseconds - origin) / 1e9 * sampleRate).rounded(.down)) }

    private func origin(of observation: Observation) -> Int64 {
        observation.time.nanoseconds - nanoseconds(Double(observation.readFrames) / sampleRate - observation.latency)
    }

    /// Puts the playhead on the line, at the frame heard now, or ahead of it where a later frame has been told already.
    private mutating func tell(now: HostTime) {
        let told = playhead.frame(at: now, sampleRate: Int(sampleRate))
        let frame = max(told, frame(at: now))
        playhead = Playhead(frame: frame, hostTime: hostTime(of: frame), isRunning: true)
    }

    private func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
}
