import CRubberBand

/// The owner of one state of the C library Rubber Band. The state is freed when its owner is released.
final class Stretcher {
    private let state: RubberBandState

    /// Makes a state of Rubber Band. Rubber Band returns one even for a sample rate or a channel count that it does not support; neither is checked.
    init(sampleRate: Int, channelCount: Int, options: Int32, ratio: Double, block: Int) {
        state = rubberband_new(UInt32(sampleRate), UInt32(channelCount), options, ratio, 1)
        rubberband_set_max_process_size(state, UInt32(block))
    }

    deinit { rubberband_delete(state) }

    /// The number of silent frames that Rubber Band must process before the audio.
    var startPad: Int { Int(rubberband_get_preferred_start_pad(state)) }
    /// The number of Rubber Band's output frames before the first frame of the audio, if `startPad` silent frames precede the audio.
    var startDelay: Int { Int(rubberband_get_start_delay(state)) }
    /// The number of input frames that Rubber Band needs before its next output.
    var required: Int { Int(rubberband_get_samples_required(state)) }

    /// Sets the ratio of Rubber Band (output frames per input frame), from the next window on.
    func change(ratio: Double) { rubberband_set_time_ratio(state, ratio) }

    func process(_ planes: Planes, frames: Int) {
        planes.withInput { rubberband_process(state, $0, UInt32(frames), 0) }
    }

    /// Moves up to `limit` available output frames of Rubber Band into `planes`, and returns their number.
    func retrieve(_ planes: Planes, upTo limit: Int) -> Int {
        let frames = min(Int(rubberband_available(state)), limit)
        guard frames > 0 else { return 0 }
        return planes.withOutput { Int(rubberband_retrieve(state, $0, UInt32(frames))) }
    }
}

/// The samples of each channel in a buffer of its own, as Rubber Band requires. Owned by one thread; only the initializer allocates memory.
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
