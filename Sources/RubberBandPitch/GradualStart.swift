/// A gradual start of stretching at a rate above 1: stretching begins at the original speed, and becomes faster from window to window, so that Rubber
/// Band produces no click.
///
/// Rubber Band divides the sum of the windowed signal by the sum of its windows. There are two problems at the start. The sum of the windows is small
/// and crosses zero, because the windows have negative lobes. And all frequency bins start with phase zero, which for broadband audio is a loud
/// click, repeated until the phases have drifted apart.
///
/// At the original speed there is no problem: the phases of a window are those of its signal, and the quotient of the two sums is the signal. Each
/// step of the speed must be small. Between windows that are far apart and windows that are close together, the sum of the windows would cross zero
/// again.
struct GradualStart {
    /// The factor by which the ratio (output frames per input frame) changes from window to window. A factor of 2/3 is still safe, 0.6 is not. With
    /// 0.8 the output is never louder than the input.
    private static let slope = 0.8

    /// The initial ratio. At a ratio of exactly 1, Rubber Band's windows would be at other positions.
    static let firstRatio = 1 - 1e-9

    /// The present ratio and the final ratio (`goal`), in output frames per input frame.
    private(set) var ratio = firstRatio
    private let goal: Double
    /// The number of input frames until the next window is complete. The ratio may change only then.
    private(set) var framesToWindow: Int
    /// The minimum number of extra output frames that the start has to produce, compared with the final ratio.
    private let enough: Double
    /// The number of remaining windows at the first ratio; nil until the first window is complete.
    private var slowWindows: Int?

    /// Makes a gradual start. `firstWindow` is the number of input frames before the first output; `goal` is less than 1.
    init(goal: Double, firstWindow: Int, enough: Double) {
        self.goal = goal
        self.enough = enough
        framesToWindow = firstWindow
    }

    var isOver: Bool { ratio == goal }

    mutating func took(_ frames: Int) { framesToWindow -= frames }

    /// Handles the completion of a window. The next window is complete after `hop` further input frames.
    ///
    /// - Returns: after the first window, before any output is used, the total number of extra output frames that the start produces, compared with
    ///   the final ratio. Later nil.
    mutating func windowCompleted(hop: Int) -> Double? {
        framesToWindow = hop
        guard let slowWindows else {
            let slow = Double(hop) * (Self.firstRatio - goal)
            var (sloping, step) = (0.0, Self.slope)
            while step > goal {
                sloping += Double(hop) * (step - goal)
                step *= Self.slope
            }
            let windows = max(1, ((enough - sloping) / slow - 0.01).rounded(.up))
            self.slowWindows = Int(windows) - 1
            advance()
            return windows * slow + sloping
        }
        self.slowWindows = slowWindows - 1
        advance()
        return nil
    }

    private mutating func advance() {
        guard let slowWindows, slowWindows <= 0 else { return }
        ratio = ratio * Self.slope > goal ? ratio * Self.slope : goal
    }
}
