/// A set of bytes of one medium, which `FragmentWatch` and `HeadSource` use to count each byte only once. The set is stored as byte ranges in
/// ascending order; ranges that touch are joined. If there are more than 4,096 ranges, the one with the lowest offsets is discarded.
struct ByteRanges {
    private(set) var ranges: [Range<Int64>] = []
    private static let limit = 4096

    /// The number of bytes in the set.
    var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    func contains(_ offset: Int64) -> Bool {
        let number = index(of: offset)
        return number < ranges.count && ranges[number].contains(offset)
    }

    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var joined = range
        // Find the ranges that touch the new range: those that end at its start or later, and begin at its end or earlier.
        let first = index(of: range.lowerBound - 1)
        var last = first
        while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
            joined = min(joined.lowerBound, ranges[last].lowerBound)..<max(joined.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [joined])
        if ranges.count > ByteRanges.limit { ranges.removeFirst() }
    }

    /// Returns the index of the first byte range in the set that ends after the byte `offset`.
    private func index(of offset: Int64) -> Int { ranges.partitioningIndex { $0.upperBound > offset } }
}
