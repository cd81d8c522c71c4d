import PlaybackEngine

/// A change of volume in steps, at a speed that reaches the goal after 40 ms.
///
/// A step is at least 0.0005, and at most 0.001 or what changes in half a millisecond: up to a change of 0.08, no step changes a sample of 16 bits by
/// more than 33. If the server takes longer, the ramp does, and its steps do not grow.
struct VolumeRamp: Hashable {
    /// Except for the last step.
    static let smallestStep = 0.0005
    /// At any speed.
    static let inaudibleStep = 0.001
    /// In seconds.
    static let longestStep = 0.0005

    let goal: Double
    /// In a second, without sign.
    let speed: Double

    init(from gain: Double, to goal: Double) {
        self.goal = goal
        speed = abs(goal - gain) / GainRamp.seconds
    }

    /// `gain` was set `elapsed` seconds ago; nil if no step is due.
    func gain(after gain: Double, elapsed: Double) -> Double? {
        let rest = abs(goal - gain)
        let step = min(speed * elapsed, max(Self.inaudibleStep, speed * Self.longestStep))
        guard step >= min(Self.smallestStep, rest) * 0.999 else { return nil }
        return step >= rest ? goal : gain + (goal > gain ? step : -step)
    }

    /// In seconds: a change by `smallestStep`, or to the goal.
    func wait(after gain: Double) -> Double { speed > 0 ? min(Self.smallestStep, abs(goal - gain)) / speed : 0 }
}
