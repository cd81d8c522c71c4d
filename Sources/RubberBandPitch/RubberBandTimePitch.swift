import CRubberBand
public import PlaybackEngine

/// Changes the speed of audio and keeps its pitch, in the frequency domain (`spectral`; R-PITCH-01).
///
/// Time stretching uses Rubber Band's faster engine (R2) in real-time mode, with long windows, smoothing, independent bin phases and smooth
/// transients. Of all settings, these keep chords of many notes cleanest; but a transient spreads over a whole window. For audio with attacks, and
/// for most other audio, `WSOLATimePitch` sounds cleaner and needs less computation.
///
/// - The channels are stretched together, so that their phases stay related.
/// - Output frame n corresponds to input frame n · rate within a sixth of a window (of 8,192 frames at 44.1 kHz), without drift. The stretched output
///   has round(input frames / rate) frames. At rate 1 every sample passes the stretcher unchanged.
/// - Input samples that are not finite are replaced by silence, because in a spectrum their effect would never end.
/// - `process` allocates no memory itself, but Rubber Band's own buffers may grow in it. `RubberBandTimePitch` is confined to one thread.
public final class RubberBandTimePitch: TimePitch {
    private static let blockFrames = 512
    private static let options = Int32(
        RubberBandOptionProcessRealTime.rawValue | RubberBandOptionTransientsSmooth.rawValue | RubberBandOptionPhaseIndependent.rawValue
            | RubberBandOptionWindowLong.rawValue | RubberBandOptionSmoothingOn.rawValue | RubberBandOptionChannelsTogether.rawValue
            | RubberBandOptionThreadingNever.rawValue)

    private let sampleRate: Int
    private let channelCount: Int
    private let planes: Planes
    private var stretcher: Stretcher?
    private var rate = 1.0

    /// The number of input frames received since the last reset (`taken`), and of output frames returned (`given`).
    private var taken = 0
    private var given = 0
    /// The number of Rubber Band's output frames to discard, because they represent the time before the first input frame.
    private var unwanted = 0
    private var start: GradualStart?
    private var bound = PeakBound(span: 1)
    public private(set) var lookahead = 0

    /// - Parameters:
    ///   - sampleRate: The number of frames per second; Rubber Band supports 8,000 to 192,000.
    ///   - channelCount: The number of interleaved channels, at least 1.
    public init(sampleRate: Int, channelCount: Int) {
        precondition(channelCount > 0, "time stretching needs at least one channel")
        self.sampleRate = min(max(sampleRate, 1000), 768_000)
        self.channelCount = channelCount
        planes = Planes(count: channelCount, frames: Self.blockFrames)
    }

    /// Discards all input frames and restarts at the playback rate `rate`, limited to 1/32 … 32. `RubberBandTimePitch.reset` allocates memory.
    public func reset(rate: Double) {
        self.rate = Self.limited(rate)
        (taken, given, unwanted, lookahead) = (0, 0, 0, 0)
        (stretcher, start) = (nil, nil)
        guard self.rate != 1 else { return }
        let stretcher = makeStretcher()
        let delay = Double(stretcher.startDelay)
        // Half of Rubber Band's start delay precedes the audio, and the other half is inside the audio. Rubber Band's own number for its start delay
        // is correct only at rate 1: a slow swell was 1,016 frames early at rate 2, and 2,089 frames late at rate 0.5. With the formula (delay / 2) ·
        // (1 + 1 / rate) for the frames to discard, a slow swell is within 41 frames of its position.
        unwanted = Int((delay / 2 * (1 + 1 / self.rate)).rounded())
        // The formula for the number of input frames before output of Rubber Band is available has been found by measurements at all rates.
        lookahead = Int((2 * Double(unwanted) * self.rate).rounded(.up)) + stretcher.startPad + stretcher.required + Self.blockFrames
        bound = PeakBound(span: lookahead)
        if self.rate > 1 {
            // In total, at least the frames of Rubber Band's start delay are discarded, because during it the sum of the windows is wrong.
            start = GradualStart(goal: 1 / self.rate, firstWindow: stretcher.required, enough: delay - Double(unwanted))
        }
        planes.silence()
        var padding = stretcher.startPad
        while padding > 0 {
            let frames = nextFrames(of: padding)
            feed(stretcher, frames: frames)
            padding -= frames
        }
        self.stretcher = stretcher
    }

    /// Makes the Rubber Band stretcher with its initial ratio (output frames per input frame).
    ///
    /// A gradual start of stretching must not change the length of Rubber Band's window, because a change would lose the phases. If Rubber Band's
    /// window at a rate above 1 is longer than at the original speed, the sample rate that Rubber Band gets is doubled until the window at the
    /// original speed is long enough. The sample rate of Rubber Band has no other effect with the options of this stretcher.
    private func makeStretcher() -> Stretcher {
        var sampleRate = sampleRate
        while true {
            let stretcher = Stretcher(
                sampleRate: sampleRate, channelCount: channelCount, options: Self.options, ratio: 1 / rate, block: Self.blockFrames)
            guard rate > 1 else { return stretcher }
            let window = stretcher.startPad
            stretcher.change(ratio: GradualStart.firstRatio)
            if stretcher.startPad >= window || sampleRate >= 384_000 { return stretcher }
            sampleRate *= 2
        }
    }

    /// Returns how many of the next `frames` input frames may be processed at once.
    private func nextFrames(of frames: Int) -> Int { min(frames, Self.blockFrames, start?.framesToWindow ?? .max) }

    private func feed(_ stretcher: Stretcher, frames: Int) {
        stretcher.process(planes, frames: frames)
        start?.took(frames)
        guard start?.framesToWindow == 0 else { return }
        if let surplus = start?.windowCompleted(hop: stretcher.required) { unwanted += Int(surplus.rounded()) }
        if let ratio = start?.ratio { stretcher.change(ratio: ratio) }
        if start?.isOver == true { start = nil }
    }

    public func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        guard let stretcher else { return Self.copy(input, frameCount: frameCount, into: output, capacity: capacity, channelCount: channelCount) }
        var (consumed, produced) = (0, 0)
        while true {
            let isFinished = isEnd && consumed == frameCount
            let limit = isFinished ? min(capacity, produced + max(0, Int((Double(taken) / rate).rounded()) - given)) : capacity
            retrieve(from: stretcher, into: output, &produced, limit)
            guard produced < limit else { break }
            if consumed < frameCount {
                let frames = nextFrames(of: frameCount - consumed)
                bound.take(planes.split(input + consumed * channelCount, frames: frames), frames: frames)
                feed(stretcher, frames: frames)
                consumed += frames
                taken += frames
            } else if isFinished {
                // Silence as input makes Rubber Band return the audio that its windows still hold.
                planes.silence()
                feed(stretcher, frames: nextFrames(of: Self.blockFrames))
            } else {
                break
            }
        }
        return (consumed, produced)
    }

    /// Moves available frames of the Rubber Band stretcher to `output`, until `produced` is `limit`. The output frames of Rubber Band that precede
    /// the audio are discarded first.
    private func retrieve(from stretcher: Stretcher, into output: UnsafeMutablePointer<Float>, _ produced: inout Int, _ limit: Int) {
        while produced < limit || unwanted > 0 {
            let wanted = unwanted > 0 ? unwanted : limit - produced
            let frames = stretcher.retrieve(planes, upTo: min(wanted, Self.blockFrames))
            guard frames > 0 else { return }
            if unwanted > 0 {
                unwanted -= frames
            } else {
                planes.join(into: output + produced * channelCount, frames: frames, limit: bound.limit)
                produced += frames
                given += frames
            }
        }
    }
}

/// An upper bound for the level of Rubber Band's output, derived from the input, to which the output is limited.
///
/// After digital silence, the phases of all frequency bins of Rubber Band start at zero, as at the start of the output. Broadband audio that follows
/// digital silence therefore produces single output samples that are many times louder than the audio. In all other cases, the output is less than
/// twice as loud as the input.
struct PeakBound {
    private static let factor: Float = 2

    /// The number of the latest input frames that may still contribute to the output.
    private let span: Int
    /// The peak level of the input in the present span of frames, and in the preceding span.
    private var present: Float = 0
    private var before: Float = 0
    private var taken = 0

    init(span: Int) { self.span = max(1, span) }

    /// The maximum magnitude that samples of Rubber Band's output may have.
    var limit: Float { Self.factor * max(present, before) }

    /// Records `frames` input frames, whose peak level is `peak`.
    mutating func take(_ peak: Float, frames: Int) {
        present = max(present, peak)
        taken += frames
        guard taken >= span else { return }
        (before, present, taken) = (present, 0, 0)
    }
}
