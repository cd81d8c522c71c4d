/// One buffer for each channel, as Rubber Band wants its sound. Owned by one thread; it allocates only when made.
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

    /// Takes interleaved frames, silence for what is no number; returns the loudest sample.
    func split(_ interleaved: UnsafePointer<Float>, frames taken: Int) -> Float {
        var peak: Float = 0
        for channel in 0..<count {
            let plane = storage + channel * frames
            for frame in 0..<taken {
                let sample = interleaved[frame * count + channel]
                // Finite, and far enough from the largest number for a sum of squares over a window.
                plane[frame] = abs(sample) < 1e6 ? sample : 0
                peak = max(peak, abs(plane[frame]))
            }
        }
        return peak
    }

    /// Gives interleaved frames, no sample of which is louder than `limit`.
    func join(into interleaved: UnsafeMutablePointer<Float>, frames given: Int, limit: Float) {
        for channel in 0..<count {
            let plane = storage + channel * frames
            for frame in 0..<given { interleaved[frame * count + channel] = min(max(plane[frame], -limit), limit) }
        }
    }

    func withInput<Result>(_ body: (UnsafePointer<UnsafePointer<Float>?>) -> Result) -> Result { body(inputs) }
    func withOutput<Result>(_ body: (UnsafePointer<UnsafeMutablePointer<Float>?>) -> Result) -> Result { body(outputs) }
}
