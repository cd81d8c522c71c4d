/// Changes the speed of audio and keeps its pitch, in the time domain (`timeDomain`, and at lower quality `lowQualityZeroLatency`; R-PITCH-01).
///
/// The method is waveform-similarity overlap-add with few jumps of the reading position. Audio is copied unchanged until it has drifted from its
/// ideal time. At the limit of the drift, the reading position jumps to the position at which the audio is most similar to its own continuation. The
/// new position may be between samples. At a jump, the old audio fades into the new audio. If the old and the new audio remain similar, the fade
/// takes all the time until the next jump. In a fade that lasts until the next jump, the phase of every partial moves evenly, so a steady tone
/// remains pure. If the old and the new audio differ, the fade is short. Onsets (clicks, strokes) are within a millisecond of their position, and are
/// neither doubled nor skipped.
///
/// - All channels jump together, so the phase relations between channels are preserved.
/// - Output frame n corresponds to input frame n · rate within a few dozen milliseconds, without drift. The output has round(input / rate) frames.
///   The first and last frames of the output are equal to those of the input. At rate 1 every sample passes unchanged.
/// - Memory is allocated by `init` and by `reset`, never by `process`. The object is confined to one thread, like every `TimePitch`.
public final class WSOLATimePitch: TimePitch {
    /// The quality of time stretching: the effort of the similarity search, and the lengths of the fades.
    public enum Quality: Sendable {
        /// The standard quality: a wide similarity search, also between samples, and fades as long as the audio allows.
        case standard
        /// The quality for low latency: a narrow similarity search and short fades, with little look-ahead and little computation.
        case lowLatency
    }

    private let sampleRate: Int
    private let channelCount: Int
    private let quality: Quality
    private var planner: WSOLAPlanner?
    private var piece: Piece?
    /// The number of output frames that were produced after the last reset of the stretcher.
    private var written = 0
    private let leaving = SincInterpolator()
    private let entering = SincInterpolator()
    private let scratch: UnsafeMutablePointer<Float>
    private static let scratchFrames = 512

    /// - Parameters:
    ///   - sampleRate: the sample rate, in frames per second. The algorithm is designed for 1,000 … 768,000 frames per second; another sample rate is
    ///     treated as the nearest of these.
    ///   - channelCount: the number of interleaved channels, at least 1.
    public init(sampleRate: Int, channelCount: Int, quality: Quality = .standard) {
        precondition(channelCount > 0, "time stretching needs at least one channel")
        self.sampleRate = min(max(sampleRate, 1000), 768_000)
        self.channelCount = channelCount
        self.quality = quality
        scratch = .allocate(capacity: Self.scratchFrames * channelCount)
        scratch.initialize(repeating: 0, count: Self.scratchFrames * channelCount)
    }

    deinit { scratch.deallocate() }

    /// Discards all input and restarts the stretcher at `rate`, limited to 1/32 … 32. A reset allocates memory if the rate differs from the last one.
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
                // The weight of the new audio in a fade is linear, so that phases move evenly if a fade lasts until the next jump.
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

/// A reading position: a frame of input, and a fraction of the distance to the next frame.
struct ReadPosition {
    var frame: Int
    var fraction = 0.0

    func advanced(by frames: Int) -> ReadPosition { ReadPosition(frame: frame + frames, fraction: fraction) }

    func advanced(byLag lag: Double) -> ReadPosition {
        let (whole, rest) = (fraction + lag).split
        return ReadPosition(frame: frame + whole, fraction: rest)
    }
}

/// A planned part of the output, of `count` frames: the input from position `from` on, or a fade from this input to the input from position `to` on.
/// The first `done` frames of the part have been rendered.
struct Piece {
    var from: ReadPosition
    var to: ReadPosition?
    var count: Int
    var done = 0

    /// Returns the part after `frames` more frames of it have been rendered; nil if all its frames have been rendered.
    func advanced(by frames: Int) -> Piece? {
        var rest = self
        rest.done += frames
        return rest.done < count ? rest : nil
    }
}
