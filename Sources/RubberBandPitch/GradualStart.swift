/// How a stretch faster than the sound begins: at the sound's own speed, and then faster from window to window.
///
/// Rubber Band divides what it has added up by the sum of its windows. At the start that sum is small, and passes zero, because the windows have
/// negative lobes; and its phases begin at zero for all bins, which is one loud click for broad sound, again and again until they have drifted apart.
/// At the sound's own speed neither matters: a window's phases are its sound's, and the sum of windowed sound over that of the windows is the sound.
/// Each step must be small, because between windows far apart and windows close together the sum would pass zero once more.
struct GradualStart {
    /// What the ratio falls by from window to window. By a third is still safe, by 0.4 is not; by a fifth nothing is louder than it was.
    private static let slope = 0.8

    /// The ratio to begin with. Rubber Band's windows would lie elsewhere at exactly 1.
    static let firstRatio = 1 - 1e-9

    /// Output frames for each input frame: now, and in the end.
    private(set) var ratio = firstRatio
    private let goal: Double
    /// Input frames to give before the ratio may change: they complete a window.
    private(set) var framesToWindow: Int
    /// Output frames that the start is to give more than it would at the final ratio, at least.
    private let enough: Double
    /// Windows yet to come at the first ratio, known when the first is complete.
    private var slowWindows: Int?

    /// `firstWindow`: input frames for the first output. `goal` < 1.
    init(goal: Double, firstWindow: Int, enough: Double) {
        self.goal = goal
        self.enough = enough
        framesToWindow = firstWindow
    }

    var isOver: Bool { ratio == goal }

    mutating func took(_ frames: Int) { framesToWindow -= frames }

    /// A window is complete, the next is after `hop` input frames. Returns how many output frames more than at the final ratio there will be in all,
    /// when that is known: after the first window, before any output is wanted.
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
