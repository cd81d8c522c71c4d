extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element for which `belongsToEnd` is true, by binary search; the end of the collection if there is none. All
    /// elements for which it is false must precede those for which it is true.
    func partitioningIndex(where belongsToEnd: (Element) -> Bool) -> Int {
        var low = startIndex, high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToEnd(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
