/// Comparisons within the length of the shorter sequence of frames.
///
/// A loop in a generic function that another module calls would not be specialized. So the frames are arrays in the loops; an array is not copied.
extension SampleComparison {
    /// Returns the first index at which two sequences of frames differ; nil if there is none.
    public static func firstDifference(_ heard: some Collection<Noise.Frame>, _ source: some Collection<Noise.Frame>) -> Int? {
        let (heard, source) = (Array(heard), Array(source))
        return (0..<min(heard.count, source.count)).first { heard[$0] != source[$0] }
    }

    /// Returns the first index at which a sample of `heard` has another sign than the sample of `source`: a difference that a volume cannot cause. Nil
    /// if there is none.
    public static func firstDifferenceOfSigns(_ heard: some Collection<Noise.Frame>, _ source: some Collection<Noise.Frame>) -> Int? {
        let (heard, source) = (Array(heard), Array(source))
        return (0..<min(heard.count, source.count)).first { heard[$0].differsInSign(from: source[$0]) }
    }

    /// Returns the number of indices at which two sequences of frames differ.
    public static func differenceCount(_ heard: some Collection<Noise.Frame>, _ source: some Collection<Noise.Frame>) -> Int {
        let (heard, source) = (Array(heard), Array(source))
        return (0..<min(heard.count, source.count)).count { heard[$0] != source[$0] }
    }

    /// Returns the largest difference between a sample of `source` and the sample of `heard` multiplied by `factor`; nil if there is none to compare.
    /// - Parameter limit: A sample of `source` beyond ±`limit` is not compared.
    public static func largestDifference(
        _ heard: some Collection<Noise.Frame>, _ source: some Collection<Noise.Frame>, factor: Int = 1, within limit: Int = .max
    ) -> Int? {
        let (heard, source) = (Array(heard), Array(source))
        var largest: Int?
        for index in 0..<min(heard.count, source.count) {
            for (sample, wanted) in [(heard[index].left, source[index].left), (heard[index].right, source[index].right)]
            where abs(Int(wanted)) <= limit {
                largest = max(largest ?? 0, abs(Int(sample) * factor - Int(wanted)))
            }
        }
        return largest
    }

    /// Compares the frames that were heard of a loop with those of the medium: the medium from its start to the end of the loop, and then the loop again
    /// and again. Returns the number of frames that differ, and the number of returns to the start of the loop.
    public static func loop(_ heard: ArraySlice<Noise.Frame>, _ source: [Noise.Frame], over loop: Range<Int>) -> (differences: Int, turns: Int) {
        var (position, differences, turns) = (0, 0, 0)
        for frame in heard {
            if position == loop.upperBound {
                position = loop.lowerBound
                turns += 1
            }
            if frame != source[position] { differences += 1 }
            position += 1
        }
        return (differences, turns)
    }
}
