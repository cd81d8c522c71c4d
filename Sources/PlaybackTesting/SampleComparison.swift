/// Comparisons of long series of samples, here because this module is always optimized, and test modules are not.
public enum SampleComparison {
    /// Returns the largest difference between a sample of `heard` and that of `whole` at the same distance from `start`; infinite if `whole` is too
    /// short.
    ///
    ///     SampleComparison.difference(rest, whole, from: whole.count - rest.count) == 0
    public static func difference(_ heard: [Float], _ whole: [Float], from start: Int = 0, count: Int? = nil) -> Float {
        heard.withUnsafeBufferPointer { difference($0, whole, from: start, count: count) }
    }

    /// Returns the largest difference of the first `count` samples, by default of all.
    public static func difference(_ heard: UnsafeBufferPointer<Float>, _ whole: [Float], from start: Int = 0, count: Int? = nil) -> Float {
        let count = count ?? heard.count
        guard start >= 0, count <= heard.count, start + count <= whole.count else { return .infinity }
        return whole.withUnsafeBufferPointer { whole in
            var worst: Float = 0
            for index in 0..<count { worst = max(worst, abs(heard[index] - whole[start + index])) }
            return worst
        }
    }

    /// Returns the lag, in frames within ±`reach`, at which `heard` is most similar to `source`, and the similarity there (1 means equal). Both have
    /// one channel.
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
    /// Returns the samples of one channel from these interleaved samples.
    public func channel(_ number: Int, of channels: Int) -> [Float] { stride(from: number, to: count, by: channels).map { self[$0] } }
    /// Returns the frames `range` of these interleaved samples.
    public func frames(_ range: Range<Int>, of channels: Int) -> [Float] {
        Array(self[(range.lowerBound * channels)..<(range.upperBound * channels)])
    }
}
