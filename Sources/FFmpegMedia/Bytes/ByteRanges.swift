/// A set of bytes of one medium, as ascending ranges that do not touch. Beyond 4,096 ranges, the lowest is discarded.
struct ByteRanges {
    private(set) var ranges: [Range<Int64>] = []
    private static let limit = 4096

    var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    func contains(_ offset: Int64) -> Bool {
        let number = index(of: offset)
        return number < ranges.count && ranges[number].contains(offset)
    }

    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var joined = range
        // The new range is joined with the ranges that end at its start or later, and begin at its end or earlier.
        let first = index(of: range.lowerBound - 1)
        var last = first
        while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
            joined = min(joined.lowerBound, ranges[last].lowerBound)..<max(joined.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [joined])
        if ranges.count > ByteRanges.limit { ranges.removeFirst() }
    }

    /// The index of the first range that ends after `offset`.
    private func index(of offset: Int64) -> Int { ranges.partitioningIndex { $0.upperBound > offset } }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first element for which `belongsToEnd` is true, by binary search: elements for which it is false precede the others.
    func partitioningIndex(where belongsToEnd: (Element) -> Bool) -> Int {
        var low = startIndex, high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToEnd(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
