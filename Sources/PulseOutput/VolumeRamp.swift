import PlaybackEngine

/// A change of a stream's volume in steps that the sound server carries out: at a constant speed, which reaches the goal after 40 ms.
///
/// A step changes the gain by at least 0.0005, and by at most the larger of two limits: 0.001, and the change of the ramp in half a millisecond. So
/// in a change of the gain by at most 0.08, such as a small movement of a slider, no step changes a sample of 16 bits by more than 33. If the server
/// takes longer for a step, the ramp takes longer, and its steps do not grow.
struct VolumeRamp: Hashable {
    /// The smallest change of the gain for which a command is sent to the server, except for the last step.
    static let smallestStep = 0.0005
    /// A change of the gain that is permitted for one step at any speed.
    static let inaudibleStep = 0.001
    /// The longest part of the ramp that one step may cover if the ramp is fast, in seconds.
    static let longestStep = 0.0005

    let goal: Double
    /// The change of the gain in a second, without its sign.
    let speed: Double

    /// A ramp from the gain `gain` to the gain `goal`.
    init(from gain: Double, to goal: Double) {
        self.goal = goal
        speed = abs(goal - gain) / GainRamp.seconds
    }

    /// Returns the next gain after `gain`, which was set `elapsed` seconds ago; nil if no step is due yet.
    func gain(after gain: Double, elapsed: Double) -> Double? {
        let rest = abs(goal - gain)
        let step = min(speed * elapsed, max(Self.inaudibleStep, speed * Self.longestStep))
        guard step >= min(Self.smallestStep, rest) * 0.999 else { return nil }
        return step >= rest ? goal : gain + (goal > gain ? step : -step)
    }

    /// Returns the time after which the next step is due, in seconds: the time in which the ramp changes the gain `gain` by `smallestStep`, or to the
    /// goal.
    func wait(after gain: Double) -> Double { speed > 0 ? min(Self.smallestStep, abs(goal - gain)) / speed : 0 }
}
