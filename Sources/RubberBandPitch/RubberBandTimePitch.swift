import CRubberBand
public import PlaybackEngine

/// Changes the speed of sound and keeps its pitch, by its spectrum (`spectral`; R-PITCH-01).
///
/// Rubber Band's faster engine (R2) in real-time mode, with long windows, smoothing, bins kept apart and smooth transients: of its settings the one
/// that keeps chords of many notes cleanest, at the price of transients, which spread over a window. For sound with attacks, and for most sound,
/// `WSOLATimePitch` is cleaner and cheaper.
///
/// - Channels are stretched together, so that their phases stay related.
/// - Output frame n stands for input frame n · rate within a sixth of a window (of 8,192 frames at 44.1 kHz), for ever; in all there are
///   round(input / rate) frames. At rate 1 every sample passes unchanged.
/// - Samples that are no numbers are taken as silence: in a spectrum they would never end.
/// - `process` allocates nothing itself, but Rubber Band's own buffers may grow in it. Confined to one thread.
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

    /// Input frames taken, and output frames given, since the reset.
    private var taken = 0
    private var given = 0
    /// Output frames that stand for what lies before the first input frame and are dropped.
    private var unwanted = 0
    private var start: GradualStart?
    private var bound = PeakBound(span: 1)
    public private(set) var lookahead = 0

    /// - Parameters:
    ///   - sampleRate: frames a second; Rubber Band is meant for 8,000 … 192,000.
    ///   - channelCount: interleaved channels, at least 1.
    public init(sampleRate: Int, channelCount: Int) {
        precondition(channelCount > 0, "time stretching needs a channel")
        self.sampleRate = min(max(sampleRate, 1000), 768_000)
        self.channelCount = channelCount
        planes = Planes(count: channelCount, frames: Self.blockFrames)
    }

    /// Starts afresh at `rate`, 1/32 … 32 (anything else is taken as the nearest of these). Allocates.
    public func reset(rate: Double) {
        self.rate = Self.limited(rate)
        (taken, given, unwanted, lookahead) = (0, 0, 0, 0)
        (stretcher, start) = (nil, nil)
        guard self.rate != 1 else { return }
        let stretcher = makeStretcher()
        let delay = Double(stretcher.startDelay)
        // Half of the start delay lies before the sound, half in it. Rubber Band's own figure is right at rate 1 only: a slow swell came out 1,016
        // frames early at rate 2 and 2,089 late at 0.5, and within 41 of its place with this.
        unwanted = Int((delay / 2 * (1 + 1 / self.rate)).rounded())
        // Measured at all rates: output is ready by then.
        lookahead = Int((2 * Double(unwanted) * self.rate).rounded(.up)) + stretcher.startPad + stretcher.required + Self.blockFrames
        bound = PeakBound(span: lookahead)
        if self.rate > 1 {
            // In all, no less than the start delay is dropped: the windows add up only behind it.
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

    /// With the ratio that it begins at.
    ///
    /// A gradual start must not change Rubber Band's window, or its phases would be lost: where the window is longer at this rate than at the sound's
    /// own speed, it is told of a higher sample rate, which means nothing else to it with these options.
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

    /// How many of `frames` may be given at once.
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
                // Silence pushes out what the windows still hold.
                planes.silence()
                feed(stretcher, frames: nextFrames(of: Self.blockFrames))
            } else {
                break
            }
        }
        return (consumed, produced)
    }

    /// Moves what is ready to the output, up to `limit` frames in all, and drops what nobody wants.
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
