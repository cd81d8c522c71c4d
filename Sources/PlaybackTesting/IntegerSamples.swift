/// Searches in the samples of one channel. They are in this module because it is always optimized, and test modules are not.
extension Array where Element == Int32 {
    /// Returns the first index, from `start` on, at which the 16 samples of `wanted` from `place` on are found; nil if there is none.
    public func position(of wanted: [Int32], at place: Int = 0, from start: Int = 0) -> Int? {
        let count = Swift.min(16, wanted.count - place)
        return withUnsafeBufferPointer { samples in
            wanted.withUnsafeBufferPointer { wanted in
                var index = start
                while index + count <= samples.count {
                    var same = 0
                    while same < count, samples[index + same] == wanted[place + same] { same += 1 }
                    if same == count { return index }
                    index += 1
                }
                return nil
            }
        }
    }

    /// Returns the number of samples from `index` on that are equal to those of `wanted` from `place` on.
    public func equalSamples(at index: Int, _ wanted: [Int32], at place: Int) -> Int {
        let reach = Swift.min(count - index, wanted.count - place)
        var equal = 0
        while equal < reach, self[index + equal] == wanted[place + equal] { equal += 1 }
        return equal
    }

    /// Returns the number of samples directly before `index` that are equal to those of `wanted` directly before `place`.
    public func equalSamples(before index: Int, _ wanted: [Int32], before place: Int) -> Int {
        let reach = Swift.min(index, place)
        var equal = 0
        while equal < reach, self[index - 1 - equal] == wanted[place - 1 - equal] { equal += 1 }
        return equal
    }

    /// Returns the range from the first to the last sample beyond ±`level`; nil if there is none.
    public func soundRange(above level: Int32 = 0) -> Range<Int>? {
        guard let first = firstIndex(where: { $0.magnitude > level.magnitude }), let last = lastIndex(where: { $0.magnitude > level.magnitude })
        else { return nil }
        return first..<(last + 1)
    }

    /// Returns the ranges of sound that are separated by at least `silence` samples that are 0.
    public func runs(separatedBy silence: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in indices where self[index] != 0 {
            if let last = runs.last, index - last.upperBound < silence {
                runs[runs.count - 1] = last.lowerBound..<(index + 1)
            } else {
                runs.append(index..<(index + 1))
            }
        }
        return runs
    }

    /// The magnitudes of the third differences, the largest first. Those of a low tone are small, so that they show each step of its volume.
    public var thirdDifferences: [Int] {
        (0..<Swift.max(0, count - 3)).map { index in
            let (first, second, third, fourth) = (Int(self[index]), Int(self[index + 1]), Int(self[index + 2]), Int(self[index + 3]))
            return abs(fourth - 3 * third + 3 * second - first)
        }.sorted(by: >)
    }
}
