/// Changes the speed of audio and keeps its pitch, in the time domain (`timeDomain`, and at lower quality `lowQualityZeroLatency`; R-PITCH-01).
///
/// Waveform-similarity overlap-add with few jumps: audio is copied unchanged until it has drifted from its ideal time, then the reading position
/// jumps, also between samples, to the audio most similar to its own continuation. If both stay similar, the fade lasts until the next jump, so that
/// phases move evenly and a steady tone remains pure; otherwise it is short. Onsets are within a millisecond of their position, and neither doubled
/// nor skipped.
///
/// - All channels jump together.
/// - Output frame n corresponds to input frame n · rate within a few dozen milliseconds, without drift; there are round(input / rate) frames. The
///   first and last equal those of the input. At rate 1 every sample passes unchanged.
/// - `init` and `reset` allocate, `process` never. One thread uses it, like every `TimePitch`.
public final class WSOLATimePitch: TimePitch {
    /// The effort of the search, and the lengths of the fades.
    public enum Quality: Sendable {
        /// A wide search, also between samples, and fades as long as the audio allows.
        case standard
        /// A narrow search and short fades, with little look-ahead and computation.
        case lowLatency
    }

    private let sampleRate: Int
    private let channelCount: Int
    private let quality: Quality
    private var planner: WSOLAPlanner?
    private var piece: Piece?
    /// The number of output frames since the last reset.
    private var written = 0
    private let leaving = SincInterpolator()
    private let entering = SincInterpolator()
    private let scratch: UnsafeMutablePointer<Float>
    private static let scratchFrames = 512

    /// - Parameters:
    ///   - sampleRate: The sample rate, 1,000 … 768,000; another one is treated as the nearest of these.
    ///   - channelCount: The number of interleaved channels, at least 1.
    public init(sampleRate: Int, channelCount: Int, quality: Quality = .standard) {
        precondition(channelCount > 0, "time stretching needs at least one channel")
        self.sampleRate = min(max(sampleRate, 1000), 768_000)
        self.channelCount = channelCount
        self.quality = quality
        scratch = .allocate(capacity: Self.scratchFrames * channelCount)
        scratch.initialize(repeating: 0, count: Self.scratchFrames * channelCount)
    }

    deinit { scratch.deallocate() }

    /// Discards all input, and begins anew at a rate, which is limited to 1/32 … 32. Allocates if the rate differs from the last one.
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

    private func render(_ piece: Piece, _ history: WSOLAInput, _ count: Int, into output: UnsafeMutablePointer<Float>) {
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
                // The fade is linear, so that phases move evenly if it lasts until the next jump.
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

/// A frame of input, and a fraction of the distance to the next.
struct ReadPosition {
    var frame: Int
    var fraction = 0.0

    func advanced(by frames: Int) -> ReadPosition { ReadPosition(frame: frame + frames, fraction: fraction) }

    func advanced(byLag lag: Double) -> ReadPosition {
        let (whole, rest) = (fraction + lag).split
        return ReadPosition(frame: frame + whole, fraction: rest)
    }
}

/// A piece of output of `count` frames: the input from `from` on, or with `to` a fade to the input from `to` on; `done` frames have been rendered.
struct Piece {
    var from: ReadPosition
    var to: ReadPosition?
    var count: Int
    var done = 0

    /// The piece after `frames` further frames were rendered; nil if none remains.
    func advanced(by frames: Int) -> Piece? {
        var rest = self
        rest.done += frames
        return rest.done < count ? rest : nil
    }
}
