/// Changes the speed of sound and keeps its pitch, in the time domain (`timeDomain`, and with less care `lowQualityZeroLatency`; R-PITCH-01).
///
/// A waveform-similarity overlap-add that joins as rarely as it can. Sound is copied as it is; only where it gets out of step with time does the
/// reading position jump, to where the sound is most like it would have been (found between samples too), and one is faded into the other. Where
/// the sound stays alike for longer, the fade takes all the time until the next jump: the phase of every partial then moves evenly, which leaves a
/// steady tone pure. Where it does not, the fade is short. Onsets (clicks, strokes) are put where they belong, to a millisecond, and are neither
/// doubled nor skipped.
///
/// - All channels move together, so their phases stay related.
/// - Output frame n stands for input frame n · rate within a few dozen milliseconds, for ever. In all there are round(input / rate) frames, the
///   first and last of which are the first and last of the input. At rate 1 every sample passes unchanged.
/// - Memory is allocated by `init` and by `reset`, never by `process`. Confined to one thread, like every `TimePitch`.
public final class WSOLATimePitch: TimePitch {
    /// How much care is taken.
    public enum Quality: Sendable {
        /// Wide search, between samples, fades as long as the sound allows.
        case standard
        /// Narrow search and short fades: little look-ahead, little work.
        case lowLatency
    }

    private let sampleRate: Int
    private let channelCount: Int
    private let quality: Quality
    private var planner: WSOLAPlanner?
    private var piece: Piece?
    /// Output frames given since the reset.
    private var written = 0
    private let leaving = FractionalDelay()
    private let entering = FractionalDelay()
    private let scratch: UnsafeMutablePointer<Float>
    private static let scratchFrames = 512

    /// - Parameters:
    ///   - sampleRate: frames a second; all times are meant for 1,000 … 768,000, below and above they grow and shrink.
    ///   - channelCount: interleaved channels, at least 1.
    public init(sampleRate: Int, channelCount: Int, quality: Quality = .standard) {
        precondition(channelCount > 0, "time stretching needs at least one channel")
        self.sampleRate = min(max(sampleRate, 1000), 768_000)
        self.channelCount = channelCount
        self.quality = quality
        scratch = .allocate(capacity: Self.scratchFrames * channelCount)
        scratch.initialize(repeating: 0, count: Self.scratchFrames * channelCount)
    }

    deinit { scratch.deallocate() }

    /// Starts afresh at `rate`, 1/32 … 32 (anything else is taken as the nearest of these). Allocates where the rate differs from the last.
    public func reset(rate: Double) {
        let rate = Self.limited(rate)
        piece = nil
        written = 0
        if rate == 1 {
            planner = nil
        } else if let planner, planner.rate == rate {
            planner.reset()
        } else {
            planner = WSOLAPlanner(rate: rate, sampleRate: sampleRate, channelCount: channelCount, quality: quality)
        }
    }

    public var lookahead: Int { planner?.lookahead ?? 0 }

    public func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        guard let planner else { return Self.copy(input, frameCount: frameCount, into: output, capacity: capacity, channelCount: channelCount) }
        var (consumed, produced) = (0, 0)
        while true {
            planner.history.discard(before: planner.keeps(while: piece, written: written))
            consumed += planner.take(input + consumed * channelCount, count: frameCount - consumed)
            if isEnd && consumed == frameCount { planner.finish() }
            guard produced < capacity else { break }
            if piece == nil { piece = planner.next(after: written) }
            guard let next = piece else { break }
            let count = min(next.count - next.done, capacity - produced, planner.remaining(after: written) ?? .max)
            guard count > 0 else { break }
            render(next, planner.history, count, into: output + produced * channelCount)
            produced += count
            written += count
            piece = next.advanced(by: count)
        }
        return (consumed, produced)
    }

    private func render(_ piece: Piece, _ history: InputHistory, _ count: Int, into output: UnsafeMutablePointer<Float>) {
        leaving.setFraction(piece.from.fraction)
        guard let target = piece.to else {
            leaving.read(history.samples(at: piece.from.frame + piece.done), channelCount: channelCount, into: output, count: count * channelCount)
            return
        }
        entering.setFraction(target.fraction)
        var offset = 0
        while offset < count {
            let frames = min(Self.scratchFrames, count - offset)
            let done = piece.done + offset
            let out = output + offset * channelCount
            leaving.read(history.samples(at: piece.from.frame + done), channelCount: channelCount, into: out, count: frames * channelCount)
            entering.read(history.samples(at: target.frame + done), channelCount: channelCount, into: scratch, count: frames * channelCount)
            var sample = 0
            for frame in 0..<frames {
                // A straight line: with the fade as long as the way to the next join, phases then move evenly.
                let weight = (Float(done + frame) + 0.5) / Float(piece.count)
                for _ in 0..<channelCount {
                    out[sample] += (scratch[sample] - out[sample]) * weight
                    sample += 1
                }
            }
            offset += frames
        }
    }
}

/// A reading position: a frame of input and what lies between it and the next.
struct ReadPosition {
    var frame: Int
    var fraction = 0.0

    func advanced(by frames: Int) -> ReadPosition { ReadPosition(frame: frame + frames, fraction: fraction) }

    func advanced(byLag lag: Double) -> ReadPosition {
        let (whole, rest) = (fraction + lag).split
        return ReadPosition(frame: frame + whole, fraction: rest)
    }
}

/// What to render next: sound from one position, or fading from one position to another.
struct Piece {
    var from: ReadPosition
    var to: ReadPosition?
    var count: Int
    var done = 0

    /// What is left of it, nil where nothing is.
    func advanced(by frames: Int) -> Piece? {
        var rest = self
        rest.done += frames
        return rest.done < count ? rest : nil
    }
}
