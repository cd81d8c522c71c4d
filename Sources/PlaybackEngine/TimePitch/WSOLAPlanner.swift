/// Plans time stretching for `WSOLATimePitch`: when audio is copied, when the reading position jumps, and how long the fades are. The planner holds
/// the input (`history`) and searches it, but renders no audio.
///
/// *Drift* is the distance of the reading position from its ideal position, in frames of input. The sign of the drift is chosen so that copying
/// always lowers the drift. At rates above 1, the drift is positive if the reading position is after its ideal position; at rates below 1, if the
/// reading position is before its ideal position.
final class WSOLAPlanner {
    /// The lengths of jumps, fades and copies in time stretching, in frames.
    struct Lengths {
        /// The shortest jump of the reading position, and the difference between the longest and the shortest jump, in frames.
        var lag, lagSpan: Int
        /// The length of the audio that the similarity search compares, in frames.
        var template: Int
        /// The lengths of three fades, in frames: the shortest fade, the longest fade, and the fade before an onset or the end of the input.
        var shortFade, longFade, forcedFade: Int
        /// Three lengths around an onset, in frames: the copy before the onset, the copy after the onset, and the range after the onset into which no
        /// jump goes back.
        var beforeOnset, afterOnset, behindOnset: Int
        /// The maximum deviation of an onset from its ideal position in the output, in frames, in either direction.
        var slack: Int

        init(sampleRate: Int, quality: WSOLATimePitch.Quality) {
            func frames(_ milliseconds: Double) -> Int { max(1, Int((milliseconds * Double(sampleRate) / 1000).rounded())) }
            switch quality {
            case .standard: (lag, lagSpan, template, shortFade, longFade) = (frames(6), frames(39), frames(30), frames(12), frames(120))
            case .lowLatency: (lag, lagSpan, template, shortFade, longFade) = (frames(5), frames(15), frames(8), frames(6), frames(10))
            }
            forcedFade = min(frames(10), shortFade)
            (beforeOnset, afterOnset, behindOnset, slack) = (frames(1), frames(15), frames(8), frames(1))
        }
    }

    let rate: Double
    let history: WSOLAInput
    let lookahead: Int
    private let lengths: Lengths
    private let quality: WSOLATimePitch.Quality
    private let search: SimilaritySearch
    private var detector: OnsetDetector
    /// The property `direction` is +1 if jumps of the reading position go forward, and −1 if they go back. The property `slope` is the amount by
    /// which the drift falls for each copied frame, in frames.
    private var direction: Int { rate > 1 ? 1 : -1 }
    private var slope: Double { abs(rate - 1) }
    private let shortestLag: Int
    private var catchUp: Int { lengths.lagSpan }

    private var position = ReadPosition(frame: 0)
    /// The amount by which the drift falls from the end of the last fade to the start of the next fade, in frames. Jumps of the reading position are
    /// timed so that the drift is above zero as often as below.
    private var swing = 0.0
    /// The earliest input frame to which a jump may go back.
    private var guardFrame = 0
    /// The input frame up to which audio is copied without a jump, because an onset is being copied.
    private var copiesUntil = 0
    private var isFinished = false
    private var outputCount = 0

    /// The maximum spare capacity of the input history, in bytes. Without spare capacity, the input history needs 16 MiB for 8 channels of 384 kHz at
    /// rate 32.
    private static let spareBytes = 4 << 20

    init(rate: Double, sampleRate: Int, channelCount: Int, quality: WSOLATimePitch.Quality) {
        self.rate = rate
        self.quality = quality
        lengths = Lengths(sampleRate: sampleRate, quality: quality)
        let (direction, slope, catchUp) = (rate > 1 ? 1 : -1, abs(rate - 1), lengths.lagSpan)
        shortestLag = max(lengths.lag, Int((Double(lengths.shortFade) * slope).rounded(.up)))
        let longestLag = shortestLag + lengths.lagSpan + catchUp
        // The value `reading` is the number of input frames that a jump and its fade may read. The value `passing` is the input that passes during
        // the longest fade, the fade before an onset and one more fade, because no onset may pass undetected.
        let longestFade = min(Double(lengths.longFade), Double(longestLag) / slope)
        let passing = Int(rate * (longestFade + Double(lengths.forcedFade + lengths.shortFade))) + catchUp
        let reading = (direction > 0 ? longestLag : 0) + lengths.longFade + lengths.template + lengths.forcedFade + 2 * SincInterpolator.tapCount
        let ahead = max(reading, passing) + 5 * lengths.slack
        lookahead = ahead
        // The value `back` is the maximum distance of a jump back, in input frames. During a fade, input before the new reading position is still
        // needed, up to one longest jump before it. No capacity is added for this, because no input has to be read ahead until the fade is complete.
        let back = (direction < 0 ? longestLag : lengths.longFade) + lengths.slack
        // The spare capacity of the input history is as large as its needed capacity (`ahead` and `back`), so that its content is moved rarely. A
        // large history has less spare capacity.
        let spare = min(ahead + back, Self.spareBytes / (channelCount * MemoryLayout<Float>.stride))
        history = WSOLAInput(
            frames: ahead + back + spare + max(4096, sampleRate / 20), channelCount: channelCount, decimation: max(1, (sampleRate + 5_500) / 11_025))
        search = SimilaritySearch(
            history: history, length: lengths.template, span: lengths.lagSpan + catchUp + 1, indifferentLag: 25 * lengths.slack,
            refines: quality == .standard)
        detector = OnsetDetector(sampleRate: sampleRate)
    }

    func reset() {
        history.reset()
        detector.reset()
        position = ReadPosition(frame: 0)
        swing = 0
        guardFrame = 0
        copiesUntil = 0
        isFinished = false
        outputCount = 0
    }

    // MARK: - Input

    func take(_ input: UnsafePointer<Float>, count: Int) -> Int {
        guard !isFinished else { return 0 }
        let taken = history.append(input, count: count)
        if taken > 0 { detector.scan(history) }
        return taken
    }

    /// Ends the input of the planner.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        outputCount = Int((Double(history.end) / rate).rounded())
        history.finish()
    }

    /// Returns the number of the first input frame that may still be read.
    func keeps(while piece: Piece?, written: Int) -> Int {
        var first = position.frame
        if let piece { first = min(first, piece.from.frame + piece.done, (piece.to?.frame ?? first) + piece.done) }
        return max(0, first - reachBack - lengths.slack)
    }

    /// The property `reachBack` is the maximum distance of a jump back, in frames. The property `earliestFrame` is the first input frame that a jump
    /// can reach now.
    private var reachBack: Int { direction < 0 ? shortestLag + lengths.lagSpan + catchUp : lengths.longFade }
    private var earliestFrame: Int { max(0, position.frame - reachBack) }

    /// Returns the number of remaining output frames; nil while the end of the input is not known.
    func remaining(after written: Int) -> Int? { isFinished ? max(0, outputCount - written) : nil }

    // MARK: - Planning

    /// Plans the next part of the stretched output, from output frame `written` on. Returns nil if more input is needed, or if all output has been
    /// planned.
    func next(after written: Int) -> Piece? {
        if isFinished {
            if written >= outputCount { return nil }
        } else if history.end - position.frame < lookahead {
            return nil
        }
        if position.frame < copiesUntil { return copy(copiesUntil - position.frame) }
        let target = nextTarget(after: written)
        let drift = (exactPosition - Double(written) * rate) * Double(direction)
        // The first frames of the stretched output are copied from the beginning of the input.
        let untilJoin = max(clampedFrames((drift + swing / 2) / slope), lengths.shortFade - position.frame)
        if let target {
            if target.isReached(from: position, at: written) {
                copiesUntil = target.frame + target.length
                return copy(copiesUntil - position.frame)
            }
            let untilForced =
                min(target.frame - position.frame, max(target.output - written, target.isEnd ? 0 : lengths.forcedFade)) - lengths.forcedFade
            if untilForced <= untilJoin || untilForced <= lengths.shortFade {
                if untilForced > 0 { return copy(untilForced) }
                return join(target, at: written)
            }
            if untilJoin > 0 { return copy(untilJoin) }
            return freeJoin(drift: drift, before: target, at: written) ?? copy(max(1, min(untilForced, lengths.shortFade)))
        }
        if untilJoin > 0 { return copy(untilJoin) }
        return freeJoin(drift: drift, before: nil, at: written) ?? copy(lengths.shortFade)
    }

    private var exactPosition: Double { Double(position.frame) + position.fraction }

    /// A target: an onset or the end of the input. The input frame of a target has a fixed position in the output.
    private struct Target {
        var frame: Int
        var output: Int
        var isEnd: Bool
        /// The number of input frames that must be copied unchanged from the target's frame on.
        var length: Int
        var tolerance: Int

        func isReached(from position: ReadPosition, at written: Int) -> Bool {
            let late = (frame - position.frame) - (output - written)
            return abs(late) <= tolerance && (!isEnd || position.fraction == 0)
        }
    }

    /// Returns the next onset, or the end of the input, if it is within a fixed distance ahead of the reading position; otherwise nil.
    ///
    /// An onset that is farther ahead is ignored, even if its input has already arrived. The amount of arrived input depends on the sizes of the
    /// calls of `process`, and the output must not depend on these sizes.
    private func nextTarget(after written: Int) -> Target? {
        // The detector finds an onset two milliseconds after its input has arrived.
        let horizon = position.frame + lookahead - 3 * lengths.slack
        while let onset = detector.next {
            let frame = onset - lengths.beforeOnset
            if frame >= horizon { return nil }
            if frame >= position.frame {
                let output = Int((Double(onset) / rate).rounded()) - lengths.beforeOnset
                let fits = !isFinished || output + lengths.beforeOnset + lengths.afterOnset + lengths.forcedFade < outputCount
                // An onset is ignored if its output position has passed. An onset is also ignored if too little output remains for the copy around
                // the onset and for the fade to the end of the input.
                if fits && output > written {
                    return Target(
                        frame: frame, output: output, isEnd: false, length: lengths.beforeOnset + lengths.afterOnset, tolerance: lengths.slack)
                }
            }
            guardFrame = max(guardFrame, onset + lengths.behindOnset)
            detector.removeNext()
        }
        guard isFinished, history.end < horizon else { return nil }
        // The last output frames are copied from the end of the input, unless too little output remains for a fade to the end.
        let tail = min(lengths.shortFade, history.end / 4, outputCount / 4)
        let fits = position.frame <= history.end - tail && written <= outputCount - tail
        let length = fits ? tail : 0
        return Target(frame: history.end - length, output: outputCount - length, isEnd: true, length: length, tolerance: 0)
    }

    /// Plans a copy of at most `count` frames. A planned copy is short, so that onsets are detected in time. The length of a copy does not depend on
    /// the available input, so the output does not depend on the sizes of the calls of `process`.
    private func copy(_ count: Int) -> Piece {
        let piece = Piece(from: position, to: nil, count: max(1, min(count, lengths.shortFade, history.end - position.frame)))
        position = position.advanced(by: piece.count)
        return piece
    }

    private func fade(to target: ReadPosition, count: Int) -> Piece {
        let piece = Piece(from: position, to: target, count: count)
        position = target.advanced(by: count)
        return piece
    }

    /// Plans a fade, so that the input frame of `target` (an onset or the end) reaches its output position after the fade.
    private func join(_ target: Target, at written: Int) -> Piece {
        let untilTarget = target.frame - position.frame
        let untilOutput = max(target.output - written, target.isEnd ? 1 : lengths.forcedFade / 3)
        let count = min(lengths.forcedFade, untilTarget, untilOutput)
        var landing = target.frame - untilOutput
        // A jump back into an onset that was already rendered is made only if the jump can reach no other frame.
        let earliest = guardFrame <= position.frame - lengths.forcedFade ? max(earliestFrame, guardFrame) : earliestFrame
        if landing < earliest {
            landing = min(earliest, max(position.frame - 1, earliestFrame))
        } else if !target.isEnd {
            if count == lengths.forcedFade, landing - lengths.slack >= earliest {
                let base = position.frame
                let limit = min(count, history.end - max(base, landing) - lengths.slack)
                if limit > 0 { landing = base + search.best(at: base, near: landing - base, slack: lengths.slack, length: limit) }
            }
            copiesUntil = target.frame + target.length
        }
        swing = 0
        guard count > 0 else {
            position = ReadPosition(frame: landing)
            return copy(max(1, min(untilOutput, history.end - landing)))
        }
        return fade(to: ReadPosition(frame: landing), count: count)
    }

    /// Plans a fade to the position at which the search finds the most similar audio. Returns nil if no fade is possible, because too little audio
    /// has arrived, or because the target or the earliest frame is too near.
    private func freeJoin(drift: Double, before target: Target?, at written: Int) -> Piece? {
        let lateness = min(max(0, Int(-drift)), catchUp)
        var longest = shortestLag + lengths.lagSpan + lateness
        var longestFade = lengths.longFade
        if let target {
            let distance = target.frame - position.frame - lengths.forcedFade
            longestFade = min(longestFade, distance, target.output - written - lengths.forcedFade)
            if direction > 0 { longest = min(longest, distance - lengths.shortFade) }
        }
        if direction < 0 { longest = min(longest, position.frame - max(guardFrame, earliestFrame)) }
        let needed = lengths.template + SincInterpolator.tapCount
        longest = min(longest, direction > 0 ? history.end - position.frame - needed : longest)
        guard longestFade >= lengths.shortFade, longest >= shortestLag + lengths.slack, history.end - position.frame >= needed else { return nil }
        let lags = direction > 0 ? shortestLag...longest : -longest ... -shortestLag
        let match = search.best(at: position.frame, lags: lags)
        let lag = abs(match.lag)
        if direction > 0, target != nil { longestFade = min(longestFade, longest + lengths.shortFade - Int(lag)) }
        // A fade longer than `restoring` frames would not reduce the magnitude of the drift.
        let restoring = clampedFrames((lag + min(0, drift + swing / 2)) / slope)
        let limit = max(lengths.shortFade, min(longestFade, restoring))
        let count = fadeLength(match, upTo: limit)
        swing = max(0, lag - slope * Double(count))
        return fade(to: position.advanced(byLag: match.lag), count: count)
    }

    private func fadeLength(_ match: SimilaritySearch.Match, upTo limit: Int) -> Int {
        guard quality == .standard, match.error < 0.3 else { return min(limit, lengths.shortFade) }
        let atHand = history.end - position.frame - max(0, Int(match.lag) + 1) - SincInterpolator.tapCount
        return max(
            min(limit, lengths.shortFade), min(search.likeness(at: position.frame, match, upTo: min(limit, atHand), step: 10 * lengths.slack), limit))
    }

    private func clampedFrames(_ frames: Double) -> Int { Int(min(max(frames, 0), 1e9)) }
}
