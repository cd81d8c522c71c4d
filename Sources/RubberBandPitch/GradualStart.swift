/// A gradual start of time stretching at a rate above 1: stretching begins at the original speed, and becomes faster from window to window, so that
/// Rubber Band produces no click.
///
/// Rubber Band divides the sum of the windowed signal by the sum of its windows. At the start of Rubber Band's output, the sum of the windows is
/// small and crosses zero, because the windows have negative lobes. At the start of the output, all frequency bins also have the phase zero. If the
/// audio is broadband, the equal phases are heard as a loud click, which is repeated until the phases differ.
///
/// At the original speed Rubber Band's output has no click at the start: the phases of a window are those of its signal, and the sum of the windowed
/// signal divided by the sum of the windows is the signal itself. During the gradual start, each step of the speed must be small. If windows that are
/// close together followed directly after windows that are far apart, the sum of the windows would cross zero again.
struct GradualStart {
    /// The factor by which Rubber Band's ratio (output frames per input frame) changes from window to window. If Rubber Band's ratio changes by a
    /// factor of 2/3 for each window, no click occurs; with 0.6, a click occurs. With a factor of 0.8 for each window, Rubber Band's output is never
    /// louder than the input.
    private static let slope = 0.8

    /// The initial ratio of output frames to input frames. At a ratio of exactly 1, Rubber Band's windows would be at other positions than at a ratio
    /// close to 1.
    static let firstRatio = 1 - 1e-9

    /// The present ratio and the final ratio (`goal`) of the gradual start, in output frames per input frame.
    private(set) var ratio = firstRatio
    private let goal: Double
    /// The number of input frames until Rubber Band's next window is complete. The ratio of output frames to input frames may change only when a
    /// window is complete.
    private(set) var framesToWindow: Int
    /// The minimum number of extra output frames that the gradual start produces, compared with the final ratio; `RubberBandTimePitch` discards them.
    private let enough: Double
    /// The number of remaining windows at the first ratio of the gradual start; nil until the first window is complete.
    private var slowWindows: Int?

    /// Makes a gradual start of time stretching for the final ratio `goal`, which is less than 1. `firstWindow` is the number of input frames before
    /// the first output; `enough` is the minimum number of extra output frames.
    init(goal: Double, firstWindow: Int, enough: Double) {
        self.goal = goal
        self.enough = enough
        framesToWindow = firstWindow
    }

    var isOver: Bool { ratio == goal }

    mutating func took(_ frames: Int) { framesToWindow -= frames }

    /// Handles the completion of a window of Rubber Band. The next window of Rubber Band is complete after `hop` further input frames.
    ///
    /// - Returns: After the first window, the total number of extra output frames that the gradual start produces, compared with the final ratio. Nil
    ///   after each later window.
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
