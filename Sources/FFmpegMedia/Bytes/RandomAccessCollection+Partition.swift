extension RandomAccessCollection where Index == Int {
    /// By binary search: elements for which it is false precede those for which it is true.
    func partitioningIndex(where belongsToEnd: (Element) -> Bool) -> Int {
        var low = startIndex, high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToEnd(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
