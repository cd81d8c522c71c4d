/// The start of a stretch that is faster than the original: at the original speed, and then faster from window to window.
///
/// Rubber Band divides the sum of the windowed signal by the sum of its windows. At the start that second sum is small and crosses zero, because the
/// windows have negative lobes. Besides, all bins start with phase zero: for broadband audio that is a loud click, repeated until the phases have
/// drifted apart. At the original speed neither matters: the phases of a window are those of its signal, and the quotient of the two sums is the
/// signal. Each step must be small, because between windows far apart and windows close together the sum would cross zero again.
struct GradualStart {
    /// The factor of the ratio from window to window. A factor of 2/3 is still safe, 0.6 is not. With 0.8 nothing is louder than the input.
    private static let slope = 0.8

    /// The initial ratio. At exactly 1 Rubber Band's windows would be at other positions.
    static let firstRatio = 1 - 1e-9

    /// Output frames per input frame. The present value, and the final one.
    private(set) var ratio = firstRatio
    private let goal: Double
    /// The number of input frames until the ratio may change: they complete a window.
    private(set) var framesToWindow: Int
    /// The minimum number of extra output frames: those that the start yields beyond the final ratio.
    private let enough: Double
    /// The number of remaining windows at the first ratio. Known after the first window.
    private var slowWindows: Int?

    /// Makes a start. `firstWindow` is the number of input frames before the first output; `goal` < 1.
    init(goal: Double, firstWindow: Int, enough: Double) {
        self.goal = goal
        self.enough = enough
        framesToWindow = firstWindow
    }

    var isOver: Bool { ratio == goal }

    mutating func took(_ frames: Int) { framesToWindow -= frames }

    /// Handles the completion of a window; the next one completes after `hop` input frames. After the first window, before any output is used, it
    /// returns the total number of output frames in excess of the final ratio.
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
