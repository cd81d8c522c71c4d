/// The samples of each channel in a buffer of its own, as Rubber Band requires. `Planes` is owned by one thread, and allocates memory only in its
/// initializer.
final class Planes {
    private let count: Int
    private let frames: Int
    private let storage: UnsafeMutablePointer<Float>
    private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let inputs: UnsafeMutablePointer<UnsafePointer<Float>?>

    init(count: Int, frames: Int) {
        self.count = count
        self.frames = frames
        storage = .allocate(capacity: count * frames)
        storage.initialize(repeating: 0, count: count * frames)
        outputs = .allocate(capacity: count)
        inputs = .allocate(capacity: count)
        for channel in 0..<count {
            (outputs + channel).initialize(to: storage + channel * frames)
            (inputs + channel).initialize(to: UnsafePointer(storage + channel * frames))
        }
    }

    deinit {
        storage.deallocate()
        outputs.deallocate()
        inputs.deallocate()
    }

    func silence() { storage.update(repeating: 0, count: count * frames) }

    /// Splits interleaved frames into one buffer for each channel. Input samples that are not finite, or whose magnitude is 10⁶ or more, become
    /// silence. Returns the peak level of the frames.
    func split(_ interleaved: UnsafePointer<Float>, frames taken: Int) -> Float {
        var peak: Float = 0
        for channel in 0..<count {
            let plane = storage + channel * frames
            for frame in 0..<taken {
                let sample = interleaved[frame * count + channel]
                // If the magnitudes of all samples are below 10⁶, a sum of squares over a window cannot overflow.
                plane[frame] = abs(sample) < 1e6 ? sample : 0
                peak = max(peak, abs(plane[frame]))
            }
        }
        return peak
    }

    /// Interleaves the channels' samples into frames, and limits every sample to ±`limit`.
    func join(into interleaved: UnsafeMutablePointer<Float>, frames given: Int, limit: Float) {
        for channel in 0..<count {
            let plane = storage + channel * frames
            for frame in 0..<given { interleaved[frame * count + channel] = min(max(plane[frame], -limit), limit) }
        }
    }

    func withInput<Result>(_ body: (UnsafePointer<UnsafePointer<Float>?>) -> Result) -> Result { body(inputs) }
    func withOutput<Result>(_ body: (UnsafePointer<UnsafeMutablePointer<Float>?>) -> Result) -> Result { body(outputs) }
}
