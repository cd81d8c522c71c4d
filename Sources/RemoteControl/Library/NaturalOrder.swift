import Platform

/// Sorts names in the order that users expect: regardless of case, and with the numbers in names sorted by their value (`2` before `10`).
enum NaturalOrder {
    static func sorted<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        elements.map { (key: key(name($0)), element: $0) }.sorted { precedes($0.key, $1.key) }.map(\.element)
    }

    /// Returns the sort key of a name: its lower-case bytes, and its exact bytes, which decide if the lower-case bytes of two names are equal.
    private static func key(_ name: String) -> (folded: [UInt8], exact: [UInt8]) { (Array(name.lowercased().utf8), Array(name.utf8)) }

    private static func precedes(_ a: (folded: [UInt8], exact: [UInt8]), _ b: (folded: [UInt8], exact: [UInt8])) -> Bool {
        switch compare(a.folded, b.folded) {
        case 0: a.exact.lexicographicallyPrecedes(b.exact)
        case let order: order < 0
        }
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var i = 0
        var j = 0
        while i < a.count, j < b.count {
            if a[i].isASCIIDigit, b[j].isASCIIDigit {
                let first = digits(a, &i)
                let second = digits(b, &j)
                if first.count != second.count { return first.count - second.count }
                if let (x, y) = zip(first, second).first(where: { $0 != $1 }) { return Int(x) - Int(y) }
            } else {
                if a[i] != b[j] { return Int(a[i]) - Int(b[j]) }
                i += 1
                j += 1
            }
        }
        return (a.count - i) - (b.count - j)
    }

    /// Returns the digits from `index` on, without leading zeros, and moves `index` to the first byte after these digits.
    private static func digits(_ bytes: [UInt8], _ index: inout Int) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.count, bytes[index].isASCIIDigit { index += 1 }
        return bytes[start..<index].drop { $0 == UInt8(ascii: "0") }
    }
}
