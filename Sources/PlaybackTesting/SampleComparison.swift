/// Comparisons of audio. They are in this module because it is always optimized, and test modules are not.
public enum SampleComparison {
    /// The largest difference between the samples of `heard` and those of `whole` from index `start` on; infinite if `whole` is too short.
    ///
    ///     SampleComparison.difference(rest, whole, from: whole.count - rest.count) == 0
    public static func difference(_ heard: [Float], _ whole: [Float], from start: Int = 0, count: Int? = nil) -> Float {
        heard.withUnsafeBufferPointer { difference($0, whole, from: start, count: count) }
    }

    /// The largest difference between the first `count` samples of `heard`, or all, and those of `whole` from index `start` on.
    public static func difference(_ heard: UnsafeBufferPointer<Float>, _ whole: [Float], from start: Int = 0, count: Int? = nil) -> Float {
        let count = count ?? heard.count
        guard start >= 0, count <= heard.count, start + count <= whole.count else { return .infinity }
        return whole.withUnsafeBufferPointer { whole in
            var worst: Float = 0
            for index in 0..<count { worst = max(worst, abs(heard[index] - whole[start + index])) }
            return worst
        }
    }

    /// The range from the first to the last sample that differs by more than `limit` from the sample at the same index; nil if none does.
    public static func differences(_ heard: [Float], _ whole: [Float], above limit: Float) -> ClosedRange<Int>? {
        heard.withUnsafeBufferPointer { heard in
            whole.withUnsafeBufferPointer { whole in
                let indices = 0..<min(heard.count, whole.count)
                guard let first = indices.first(where: { abs(heard[$0] - whole[$0]) > limit }),
                    let last = indices.last(where: { abs(heard[$0] - whole[$0]) > limit })
                else { return nil }
                return first...last
            }
        }
    }

    /// The largest number of consecutive samples that are 0.
    public static func longestSilence(_ heard: [Float]) -> Int {
        heard.withUnsafeBufferPointer { heard in
            var longest = 0, current = 0
            for sample in heard {
                current = sample == 0 ? current + 1 : 0
                longest = max(longest, current)
            }
            return longest
        }
    }

    /// The lag in `sound` at which it is most similar to `source`, and the similarity there, at most 1; nil if `sound` is shorter. One channel each.
    public static func place(of source: [Int32], in sound: [Int32]) -> (lag: Int, likeness: Double)? {
        guard sound.count >= source.count else { return nil }
        let (source, sound) = (source.map { Double($0) }, sound.map { Double($0) })
        let power: Double = source.reduce(1) { $0 + $1 * $1 }
        var best: (lag: Int, likeness: Double)?
        for lag in 0...(sound.count - source.count) {
            var cross = 0.0, other = 1.0
            for index in 0..<source.count {
                let value = sound[lag + index]
                cross += source[index] * value
                other += value * value
            }
            let likeness = cross / (power * other).squareRoot()
            if likeness > best?.likeness ?? -1 { best = (lag, likeness) }
        }
        return best
    }

    /// The indices of the samples beyond ±`level` that follow more than `silence` samples within it.
    public static func onsets(_ samples: [Float], above level: Float, after silence: Int) -> [Int] {
        var onsets: [Int] = []
        var last = 0
        for index in samples.indices where abs(samples[index]) > level {
            if index - last > silence { onsets.append(index) }
            last = index
        }
        return onsets
    }

    /// The lag, within ±`reach` frames, at which the two are most similar, and the similarity there, where 1 means equal. One channel each.
    public static func alignment(_ heard: [Float], _ source: [Float], reach: Int) -> (lag: Int, likeness: Double) {
        let count = min(heard.count, source.count) - 2 * reach
        guard count > 0 else { return (0, 0) }
        return heard.withUnsafeBufferPointer { heard in
            source.withUnsafeBufferPointer { source in
                let energy = source[reach..<(reach + count)].reduce(0) { $0 + Double($1) * Double($1) }
                var best = (lag: 0, likeness: -1.0)
                for lag in -reach...reach {
                    var cross: Float = 0, power: Float = 0
                    for index in reach..<(reach + count) {
                        let value = heard[index + lag]
                        cross += value * source[index]
                        power += value * value
                    }
                    let likeness = power > 0 && energy > 0 ? Double(cross) / (Double(power) * energy).squareRoot() : 0
                    if likeness > best.likeness { best = (lag, likeness) }
                }
                return best
            }
        }
    }
}

extension Array where Element == Float {
    /// The samples of one channel of interleaved samples.
    public func channel(_ number: Int, of channels: Int) -> [Float] { stride(from: number, to: count, by: channels).map { self[$0] } }
    /// A range of frames of interleaved samples.
    public func frames(_ range: Range<Int>, of channels: Int) -> [Float] {
        Array(self[(range.lowerBound * channels)..<(range.upperBound * channels)])
    }
}
