/// Plans time stretching for `WSOLATimePitch`: when audio is copied, when the reading position jumps, and how long the fades are. It renders nothing.
///
/// *Drift* is the distance of the reading position from its ideal, in frames of input, with such a sign that copying lowers the drift: at rates above
/// 1, it is positive after the ideal position; at rates below 1, before it.
final class WSOLAPlanner {
    /// The lengths of jumps, fades and copies, in frames.
    struct Lengths {
        /// The length of the shortest jump, and the difference to the longest.
        var lag, lagSpan: Int
        /// The length that the similarity search compares.
        var template: Int
        /// The shortest and the longest fade, and the fade before an onset or the end.
        var shortFade, longFade, forcedFade: Int
        /// The lengths of the copies before and after an onset, and of the range after an onset into which no jump goes back.
        var beforeOnset, afterOnset, behindOnset: Int
        /// The permitted distance of an onset from its ideal position, in either direction.
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
    /// The direction of jumps, +1 forward or −1 back; `slope` is the fall of the drift for each copied frame.
    private var direction: Int { rate > 1 ? 1 : -1 }
    private var slope: Double { abs(rate - 1) }
    private let shortestLag: Int
    private var catchUp: Int { lengths.lagSpan }

    private var position = ReadPosition(frame: 0)
    /// The fall of the drift between two fades, in frames; jumps are timed so that the drift is above zero as often as below.
    private var swing = 0.0
    /// The earliest frame to which a jump may go back.
    private var guardFrame = 0
    /// The frame before which there is no jump, because an onset is being copied.
    private var copiesUntil = 0
    private var isFinished = false
    private var outputCount = 0

    /// The limit of the spare capacity, in bytes; without spare, 8 channels of 384 kHz at rate 32 need 16 MiB.
    private static let spareBytes = 4 << 20

    init(rate: Double, sampleRate: Int, channelCount: Int, quality: WSOLATimePitch.Quality) {
        self.rate = rate
        self.quality = quality
        lengths = Lengths(sampleRate: sampleRate, quality: quality)
        let (direction, slope, catchUp) = (rate > 1 ? 1 : -1, abs(rate - 1), lengths.lagSpan)
        shortestLag = max(lengths.lag, Int((Double(lengths.shortFade) * slope).rounded(.up)))
        let longestLag = shortestLag + lengths.lagSpan + catchUp
        // `reading` is the input that a jump and its fade may read. `passing` is the input that passes during the longest fade, during that before an
        // onset, and during one more, because no onset may pass undetected.
        let longestFade = min(Double(lengths.longFade), Double(longestLag) / slope)
        let passing = Int(rate * (longestFade + Double(lengths.forcedFade + lengths.shortFade))) + catchUp
        let reading = (direction > 0 ? longestLag : 0) + lengths.longFade + lengths.template + lengths.forcedFade + 2 * SincInterpolator.tapCount
        let ahead = max(reading, passing) + 5 * lengths.slack
        lookahead = ahead
        // The input for a jump back; during a fade, input one longest jump before the new position is still needed, but nothing is read ahead then.
        let back = (direction < 0 ? longestLag : lengths.longFade) + lengths.slack
        // The spare capacity is as large as the needed one, at most `spareBytes`, so that the stored input is moved rarely.
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

    func finish() {
        guard !isFinished else { return }
        isFinished = true
        outputCount = Int((Double(history.end) / rate).rounded())
        history.finish()
    }

    /// The first input frame that may still be read.
    func keeps(while piece: Piece?, written: Int) -> Int {
        var first = position.frame
        if let piece { first = min(first, piece.from.frame + piece.done, (piece.to?.frame ?? first) + piece.done) }
        return max(0, first - reachBack - lengths.slack)
    }

    /// The number of frames that a jump may go back, and the first frame that it can reach.
    private var reachBack: Int { direction < 0 ? shortestLag + lengths.lagSpan + catchUp : lengths.longFade }
    private var earliestFrame: Int { max(0, position.frame - reachBack) }

    /// The number of output frames after `written`; nil while the end of the input is not known.
    func remaining(after written: Int) -> Int? { isFinished ? max(0, outputCount - written) : nil }

    // MARK: - Planning

    /// The next piece of output; nil if more input is needed, or all output has been planned.
    func next(after written: Int) -> Piece? {
        if isFinished {
            if written >= outputCount { return nil }
        } else if history.end - position.frame < lookahead {
            return nil
        }
        if position.frame < copiesUntil { return copy(copiesUntil - position.frame) }
        let target = nextTarget(after: written)
        let drift = (exactPosition - Double(written) * rate) * Double(direction)
        // At the beginning of the output, the first frames are copied.
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

    /// An onset or the end of the input, with a fixed position in the output.
    private struct Target {
        var frame: Int
        var output: Int
        var isEnd: Bool
        /// The number of frames that are copied unchanged from the target on.
        var length: Int
        var tolerance: Int

        func isReached(from position: ReadPosition, at written: Int) -> Bool {
            let late = (frame - position.frame) - (output - written)
            return abs(late) <= tolerance && (!isEnd || position.fraction == 0)
        }
    }

    /// The next target, if it is within a fixed distance ahead: the input beyond that depends on the sizes of the calls of `process`, on which the
    /// output must not depend.
    private func nextTarget(after written: Int) -> Target? {
        // An onset is found two milliseconds after it has arrived.
        let horizon = position.frame + lookahead - 3 * lengths.slack
        while let onset = detector.next {
            let frame = onset - lengths.beforeOnset
            if frame >= horizon { return nil }
            if frame >= position.frame {
                let output = Int((Double(onset) / rate).rounded()) - lengths.beforeOnset
                let fits = !isFinished || output + lengths.beforeOnset + lengths.afterOnset + lengths.forcedFade < outputCount
                // An onset is ignored if its position has passed, or too little output remains for its copy and the fade to the end.
                if fits && output > written {
                    return Target(
                        frame: frame, output: output, isEnd: false, length: lengths.beforeOnset + lengths.afterOnset, tolerance: lengths.slack)
                }
            }
            guardFrame = max(guardFrame, onset + lengths.behindOnset)
            detector.removeNext()
        }
        guard isFinished, history.end < horizon else { return nil }
        // The end of the input is copied, unless too little output remains for a fade.
        let tail = min(lengths.shortFade, history.end / 4, outputCount / 4)
        let fits = position.frame <= history.end - tail && written <= outputCount - tail
        let length = fits ? tail : 0
        return Target(frame: history.end - length, output: outputCount - length, isEnd: true, length: length, tolerance: 0)
    }

    /// A copy that is short, so that onsets are detected in time, and independent of the available input (`nextTarget`).
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

    /// A fade after which `target` is at its output position.
    private func join(_ target: Target, at written: Int) -> Piece {
        let untilTarget = target.frame - position.frame
        let untilOutput = max(target.output - written, target.isEnd ? 1 : lengths.forcedFade / 3)
        let count = min(lengths.forcedFade, untilTarget, untilOutput)
        var landing = target.frame - untilOutput
        // A jump goes back into a rendered onset only if nothing else can be reached.
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

    /// A fade to the most similar audio; nil if too little has arrived, or the target or the earliest frame is too near.
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
        // A longer fade would not reduce the drift.
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
