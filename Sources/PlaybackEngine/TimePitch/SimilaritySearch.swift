/// Finds the lag (the distance of a jump, in frames) at which the audio is most similar to its own continuation: in a reduced signal, then sample by
/// sample in all channels, then (if `refines`) between samples, in the guide (the channels mixed to one).
///
/// The search minimises the energy of the error divided by the lag, up to `indifferentLag`, because long jumps are needed less often. One thread uses
/// it; only `init` allocates.
final class SimilaritySearch {
    struct Match {
        /// The distance of the jump, in frames; negative for a jump back.
        var lag: Double
        /// The energy of the difference to the audio without the jump, divided by the mean energy: 0 for identical, 2 for unrelated audio.
        var error: Float
    }

    private static let candidateCount = 8
    /// The error that is added to that of each lag, so that among lags with errors near 0 the longest wins.
    private static let indifference: Float = 1e-12
    /// The mean square that counts as silence; −100 dB of full scale.
    private static let silence: Float = 1e-10

    private let history: WSOLAInput
    private let length: Int
    private let refines: Bool
    private let indifferentLag: Int
    private let interpolator = SincInterpolator()
    private let errors: UnsafeMutablePointer<Float>
    private let errorCapacity: Int
    private let scratch: UnsafeMutablePointer<Float>
    private let scratchCapacity: Int

    /// - Parameters:
    ///   - length: The number of frames that are compared.
    ///   - span: The largest number of lags in one search.
    ///   - indifferentLag: The lag, in frames, above which a longer one is no longer preferred.
    ///   - refines: Whether positions between samples are compared too.
    init(history: WSOLAInput, length: Int, span: Int, indifferentLag: Int, refines: Bool) {
        self.history = history
        self.length = length
        self.refines = refines
        self.indifferentLag = indifferentLag
        errorCapacity = span / history.decimation + 4
        errors = .allocate(capacity: errorCapacity)
        errors.initialize(repeating: 0, count: errorCapacity)
        scratchCapacity = length + 8
        scratch = .allocate(capacity: scratchCapacity)
        scratch.initialize(repeating: 0, count: scratchCapacity)
    }

    deinit {
        errors.deallocate()
        scratch.deallocate()
    }

    /// The best jump of all lags, which are all positive or all negative. The history must contain `length` frames from `base` and from every
    /// `base + lag` on.
    func best(at base: Int, lags: ClosedRange<Int>) -> Match {
        var candidates = Candidates(limit: indifferentLag)
        searchCoarsely(base, lags, &candidates)
        var matches = Candidates(limit: indifferentLag)
        for index in 0..<candidates.count { matches.insert(searchFinely(base, around: Int(candidates[index].lag), lags)) }
        if matches.count == 0 { matches.insert(searchFinely(base, around: lags.lowerBound, lags)) }
        guard refines else { return matches[0] }
        var best = matches[0]
        for index in 0..<min(3, matches.count) {
            let refined = refine(base, matches[index])
            if matches.score(refined) < matches.score(best) { best = refined }
        }
        return best
    }

    /// The best whole lag within `slack` frames of `lag`, compared over `length` frames; a nearer one is preferred to a slightly better one.
    func best(at base: Int, near lag: Int, slack: Int, length: Int) -> Int {
        let step = max(1, slack / 48)
        let norm = norm(base, base + lag, length: length)
        var best = (lag: lag, cost: Float.infinity)
        for candidate in stride(from: -slack, through: slack, by: step) {
            let distance = Float(candidate) / Float(slack + 1)
            let cost = squaredDifference(base, base + lag + candidate, length: length) / norm + 0.1 * distance * distance
            if cost < best.cost { best = (lag + candidate, cost) }
        }
        return best.lag
    }

    /// The number of frames, at most `limit`, for which the audio after the jump stays similar: with an error of at most four times that of `match`,
    /// or 0.001. It is searched in steps of `step` in the guide, after the `length` compared frames.
    func likeness(at base: Int, _ match: Match, upTo limit: Int, step: Int) -> Int {
        let allowed = max(4 * match.error, 1e-3)
        let step = min(step, scratchCapacity)
        let (whole, fraction) = match.lag.split
        interpolator.setFraction(fraction)
        var reached = length
        while reached < limit {
            let count = min(step, limit - reached)
            interpolator.read(history.guide(at: base + whole + reached), channelCount: 1, into: scratch, count: count)
            let template = history.guide(at: base + reached)
            let energy = (SampleLoops.product(template, template, count: count) + SampleLoops.product(scratch, scratch, count: count)) / 2
            let squares = SampleLoops.squaredDifference(template, scratch, count: count)
            if squares > allowed * (energy + Self.silence * Float(count)) { break }
            reached += count
        }
        return min(reached, limit)
    }

    // MARK: - The three stages

    /// The local minima of the error in the reduced signal. At most `errorCapacity` lags are searched.
    private func searchCoarsely(_ base: Int, _ lags: ClosedRange<Int>, _ candidates: inout Candidates) {
        let step = history.decimation
        let start = floorDivide(base, step)
        let count = length / step
        let first = floorDivide(lags.lowerBound, step)
        let last = min(floorDivide(lags.upperBound, step), first + errorCapacity - 1, history.coarseLimit - start - count)
        guard first <= last, count > 0 else { return }
        let template = history.coarse(at: start)
        let templateEnergy = SampleLoops.product(template, template, count: count)
        let quietest = Self.silence * Float(count)
        var energy = 0.0
        for index in 0..<count { energy += Double(template[first + index] * template[first + index]) }
        for lag in first...last {
            let other = template + lag
            let mean = (templateEnergy + Float(max(0, energy))) / 2 + quietest
            errors[lag - first] = max(0, 2 - 2 * (SampleLoops.product(template, other, count: count) + quietest) / mean)
            energy += Double(other[count] * other[count]) - Double(other[0] * other[0])
        }
        for index in 0...(last - first) {
            let error = errors[index]
            let (before, after) = (index > 0 ? errors[index - 1] : error, index < last - first ? errors[index + 1] : error)
            guard before >= error, after >= error else { continue }
            // The smallest error is at the vertex of the parabola through three neighbours.
            let bend = before - 2 * error + after
            let least = bend > 0 ? error - (before - after) * (before - after) / (8 * bend) : error
            let lag = (first + index) * step
            // The reduced signal cannot distinguish errors below 1e-4, so the larger lag is preferred.
            if lag != 0 { candidates.insert(Match(lag: Double(lag), error: max(0, least) + 1e-4)) }
        }
    }

    private func searchFinely(_ base: Int, around lag: Int, _ lags: ClosedRange<Int>) -> Match {
        let reach = history.decimation / 2 + 1
        let middle = min(max(lag, lags.lowerBound), lags.upperBound)
        let norm = norm(base, base + middle, length: length)
        var best = Match(lag: Double(middle), error: .infinity)
        for candidate in max(lags.lowerBound, middle - reach)...min(lags.upperBound, middle + reach) {
            let error = squaredDifference(base, base + candidate, length: length) / norm
            if error < best.error { best = Match(lag: Double(candidate), error: error) }
        }
        return best
    }

    /// Gauss–Newton steps on the guide: each interpolates at the present lag, and corrects it by the slope of the audio.
    private func refine(_ base: Int, _ match: Match) -> Match {
        guard match.error > 1e-9 else { return match }
        let template = history.guide(at: base)
        let energy = SampleLoops.product(template, template, count: length)
        var lag = match.lag
        var error = match.error
        for _ in 0..<3 {
            let (whole, fraction) = lag.split
            interpolator.setFraction(fraction)
            interpolator.read(history.guide(at: base + whole - 2), channelCount: 1, into: scratch, count: length + 4)
            let mean = (energy + SampleLoops.product(scratch + 2, scratch + 2, count: length)) / 2 + Self.silence * Float(length)
            error = SampleLoops.squaredDifference(template, scratch + 2, count: length) / mean
            var (numerator, denominator): (Float, Float) = (0, 0)
            for index in 0..<length {
                let slope = (8 * (scratch[index + 3] - scratch[index + 1]) - (scratch[index + 4] - scratch[index])) / 12
                numerator += (template[index] - scratch[index + 2]) * slope
                denominator += slope * slope
            }
            guard denominator > 0, numerator.isFinite else { break }
            lag += Double(min(max(numerator / denominator, -0.6), 0.6))
        }
        return abs(lag - match.lag) < 1 ? Match(lag: lag, error: error) : match
    }

    /// The energy of the difference of `length` frames from `a` and from `b`, in all channels.
    private func squaredDifference(_ a: Int, _ b: Int, length: Int) -> Float {
        SampleLoops.squaredDifference(history.samples(at: a), history.samples(at: b), count: length * history.channelCount)
    }

    /// The mean energy of `length` frames from `a` and from `b`, in all channels.
    private func norm(_ a: Int, _ b: Int, length: Int) -> Float {
        let count = length * history.channelCount
        let (first, second) = (history.samples(at: a), history.samples(at: b))
        return (SampleLoops.product(first, first, count: count) + SampleLoops.product(second, second, count: count)) / 2 + Self.silence * Float(count)
    }

    /// The best lags, at most eight, the best first. `limit` is `indifferentLag`.
    private struct Candidates {
        private var items = InlineArray<8, Match>(repeating: Match(lag: 0, error: .infinity))
        private(set) var count = 0

        let limit: Float

        init(limit: Int) { self.limit = Float(limit) }

        func score(_ match: Match) -> Float { (match.error + SimilaritySearch.indifference) / min(Float(abs(match.lag)), limit) }

        subscript(index: Int) -> Match { items[index] }

        mutating func insert(_ match: Match) {
            var index = min(count, SimilaritySearch.candidateCount - 1)
            if count == SimilaritySearch.candidateCount && score(items[index]) <= score(match) { return }
            while index > 0 && score(items[index - 1]) > score(match) {
                items[index] = items[index - 1]
                index -= 1
            }
            items[index] = match
            count = min(count + 1, SimilaritySearch.candidateCount)
        }
    }
}

/// The quotient, rounded down; `b` is positive.
private func floorDivide(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }

extension Double {
    /// The whole part and the fraction. A number within a millionth of an integer counts as that integer.
    var split: (whole: Int, fraction: Double) {
        let nearest = rounded()
        if abs(self - nearest) < 1e-6 { return (Int(nearest), 0) }
        let below = rounded(.down)
        return (Int(below), self - below)
    }
}
