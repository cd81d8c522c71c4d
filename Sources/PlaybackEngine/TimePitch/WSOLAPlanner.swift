/// Decides where time stretching copies, where it jumps, and how long it fades. The pure part of `WSOLATimePitch`, apart from the search.
///
/// *Drift* is how far the reading position is from where it should be, in frames of input, counted so that copying always lowers it: input read too
/// far ahead when speeding up, too far behind when slowing down.
final class WSOLAPlanner {
    /// All lengths, in frames.
    struct Lengths {
        /// Jumps: the shortest, and by how much the longest is longer.
        var lag, lagSpan: Int
        /// Sound compared in the search.
        var template: Int
        /// Fades: the shortest, the longest, and that before an onset or the end.
        var shortFade, longFade, forcedFade: Int
        /// Around an onset: copied before it, copied after it, and not jumped back into.
        var beforeOnset, afterOnset, behindOnset: Int
        /// Half of the freedom in placing an onset.
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
    let history: InputHistory
    let lookahead: Int
    private let lengths: Lengths
    private let quality: WSOLATimePitch.Quality
    private let search: SimilaritySearch
    private var detector: OnsetDetector
    /// +1 where jumps go forward, −1 where they go back; and by how much a frame of copying lowers the drift.
    private let direction: Int
    private let slope: Double
    private let shortestLag: Int
    private let catchUp: Int

    private var position = ReadPosition(frame: 0)
    /// How much the drift falls between the end of the last fade and the next: jumps are placed so that it is as often above zero as below.
    private var swing = 0.0
    /// Nothing before this frame may be jumped back to.
    private var guardFrame = 0
    /// Up to this frame sound is copied: an onset is under way.
    private var copiesUntil = 0
    private var isFinished = false
    private var outputCount = 0

    /// Bytes of the history beyond the frames that may be needed, at most: 8 channels of 384 kHz at rate 32 need 16 MiB.
    private static let spareBytes = 4 << 20

    init(rate: Double, sampleRate: Int, channelCount: Int, quality: WSOLATimePitch.Quality) {
        self.rate = rate
        self.quality = quality
        lengths = Lengths(sampleRate: sampleRate, quality: quality)
        direction = rate > 1 ? 1 : -1
        slope = abs(rate - 1)
        shortestLag = max(lengths.lag, Int((Double(lengths.shortFade) * slope).rounded(.up)))
        catchUp = lengths.lagSpan
        let longestLag = shortestLag + lengths.lagSpan + catchUp
        // What a jump and its fade may read; and how much input goes by in the longest fade, one before an onset and one more: nothing that has its
        // place may be passed unseen.
        let longestFade = min(Double(lengths.longFade), Double(longestLag) / slope)
        let passing = Int(rate * (longestFade + Double(lengths.forcedFade + lengths.shortFade))) + catchUp
        let reading = (direction > 0 ? longestLag : 0) + lengths.longFade + lengths.template + lengths.forcedFade + 2 * FractionalDelay.tapCount
        let ahead = max(reading, passing) + 5 * lengths.slack
        lookahead = ahead
        // What a jump may go back to. A fade also reads behind the position, up to the longest jump; nothing is read ahead until it is complete.
        let behind = (direction < 0 ? longestLag : lengths.longFade) + lengths.slack
        // As much again, so that the history is moved rarely; less of it if that is large.
        let spare = min(ahead + behind, Self.spareBytes / (channelCount * MemoryLayout<Float>.stride))
        history = InputHistory(
            frames: ahead + behind + spare + max(4096, sampleRate / 20), channelCount: channelCount, decimation: max(1, (sampleRate + 5_500) / 11_025)
        )
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

    /// No input follows.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        outputCount = Int((Double(history.end) / rate).rounded())
        history.finish()
    }

    /// The first frame that may still be read.
    func keeps(while piece: Piece?, written: Int) -> Int {
        var first = position.frame
        if let piece { first = min(first, piece.from.frame + piece.done, (piece.to?.frame ?? first) + piece.done) }
        return max(0, first - reachBack - lengths.slack)
    }

    /// How far back a jump may go, and with it the first frame that one may go to now.
    private var reachBack: Int { direction < 0 ? shortestLag + lengths.lagSpan + catchUp : lengths.longFade }
    private var earliestFrame: Int { max(0, position.frame - reachBack) }

    /// Output frames that are still to be given; nil while the end is not known.
    func remaining(after written: Int) -> Int? { isFinished ? max(0, outputCount - written) : nil }

    // MARK: - Planning

    /// What comes at output frame `written`; nil where more input is needed or everything has been given.
    func next(after written: Int) -> Piece? {
        if isFinished {
            if written >= outputCount { return nil }
        } else if history.end - position.frame < lookahead {
            return nil
        }
        if position.frame < copiesUntil { return copy(copiesUntil - position.frame) }
        let target = nextTarget(after: written)
        let drift = (exactPosition - Double(written) * rate) * Double(direction)
        // The first frames are the input's own.
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

    /// An onset, or the end: a frame of input that has its place in the output.
    private struct Target {
        var frame: Int
        var output: Int
        var isEnd: Bool
        /// Frames that must be copied from `frame` on.
        var length: Int
        var tolerance: Int

        func isReached(from position: ReadPosition, at written: Int) -> Bool {
            let late = (frame - position.frame) - (output - written)
            return abs(late) <= tolerance && (!isEnd || position.fraction == 0)
        }
    }

    /// The nearest onset or end within the look-ahead: what lies further may be known or not, so it must not matter.
    private func nextTarget(after written: Int) -> Target? {
        // Onsets are found two milliseconds after they are given.
        let horizon = position.frame + lookahead - 3 * lengths.slack
        while let onset = detector.next {
            let frame = onset - lengths.beforeOnset
            if frame >= horizon { return nil }
            if frame >= position.frame {
                let output = Int((Double(onset) / rate).rounded()) - lengths.beforeOnset
                let fits = !isFinished || output + lengths.beforeOnset + lengths.afterOnset + lengths.forcedFade < outputCount
                // Later than it can be put right, or so close to the end that the end decides.
                if fits && output > written {
                    return Target(
                        frame: frame, output: output, isEnd: false, length: lengths.beforeOnset + lengths.afterOnset, tolerance: lengths.slack)
                }
            }
            guardFrame = max(guardFrame, onset + lengths.behindOnset)
            detector.removeNext()
        }
        guard isFinished, history.end < horizon else { return nil }
        // The last frames are the input's own: the end is a stretch, unless there is no time left for that.
        let tail = min(lengths.shortFade, history.end / 4, outputCount / 4)
        let fits = position.frame <= history.end - tail && written <= outputCount - tail
        let length = fits ? tail : 0
        return Target(frame: history.end - length, output: outputCount - length, isEnd: true, length: length, tolerance: 0)
    }

    /// A little at a time, so that an onset is seen in time, and however much input is at hand, so that nothing depends on how it was cut into calls.
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

    /// The join after which `target` comes at its time.
    private func join(_ target: Target, at written: Int) -> Piece {
        let untilTarget = target.frame - position.frame
        let untilOutput = max(target.output - written, target.isEnd ? 1 : lengths.forcedFade / 3)
        let count = min(lengths.forcedFade, untilTarget, untilOutput)
        var landing = target.frame - untilOutput
        // Back into an onset that was heard only where nothing else is left.
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

    /// A join at a place of the search's own choosing; nil where there is no room for one.
    private func freeJoin(drift: Double, before target: Target?, at written: Int) -> Piece? {
        let behind = min(max(0, Int(-drift)), catchUp)
        var longest = shortestLag + lengths.lagSpan + behind
        var longestFade = lengths.longFade
        if let target {
            let room = target.frame - position.frame - lengths.forcedFade
            longestFade = min(longestFade, room, target.output - written - lengths.forcedFade)
            if direction > 0 { longest = min(longest, room - lengths.shortFade) }
        }
        if direction < 0 { longest = min(longest, position.frame - max(guardFrame, earliestFrame)) }
        let needed = lengths.template + FractionalDelay.tapCount
        longest = min(longest, direction > 0 ? history.end - position.frame - needed : longest)
        guard longestFade >= lengths.shortFade, longest >= shortestLag + lengths.slack, history.end - position.frame >= needed else { return nil }
        let lags = direction > 0 ? shortestLag...longest : -longest ... -shortestLag
        let match = search.best(at: position.frame, lags: lags)
        let lag = abs(match.lag)
        if direction > 0, target != nil { longestFade = min(longestFade, longest + lengths.shortFade - Int(lag)) }
        // Longer than this would leave the drift where it is, or make it worse.
        let restoring = clampedFrames((lag + min(0, drift + swing / 2)) / slope)
        let limit = max(lengths.shortFade, min(longestFade, restoring))
        let count = fadeLength(match, upTo: limit)
        swing = max(0, lag - slope * Double(count))
        return fade(to: position.advanced(byLag: match.lag), count: count)
    }

    private func fadeLength(_ match: SimilaritySearch.Match, upTo limit: Int) -> Int {
        guard quality == .standard, match.error < 0.3 else { return min(limit, lengths.shortFade) }
        let atHand = history.end - position.frame - max(0, Int(match.lag) + 1) - FractionalDelay.tapCount
        return max(
            min(limit, lengths.shortFade), min(search.likeness(at: position.frame, match, upTo: min(limit, atHand), step: 10 * lengths.slack), limit))
    }

    private func clampedFrames(_ frames: Double) -> Int { Int(min(max(frames, 0), 1e9)) }
}
