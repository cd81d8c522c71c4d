import Platform

/// The order of names that users expect: regardless of case, and with the numbers in names by their value (`2` before `10`). Names are bytes, and two
/// different ones are never equal, so the order is total.
enum NaturalOrder {
    /// A name, and the same name in lower case. The lower-case bytes may still have ASCII capitals, which the comparison ignores.
    struct Key {
        var name: UnsafeBufferPointer<UInt8>
        var folded: UnsafeBufferPointer<UInt8>
    }

    /// Returns the lower-case bytes of a name that is not ASCII; nil for ASCII, which is compared without a copy. Bytes that are not UTF-8 count as
    /// U+FFFD here, and as themselves if the rest of the names is equal.
    static func folded(_ name: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        name.allSatisfy { $0 < 0x80 } ? nil : Array(String(decoding: name, as: UTF8.self).lowercased().utf8)
    }

    /// Returns a negative number if `a` precedes `b`, a positive one if `b` precedes `a`, and 0 only for equal names.
    static func compare(_ a: Key, _ b: Key) -> Int {
        let order = compare(a.folded, b.folded)
        if order != 0 { return order }
        if a.name.lexicographicallyPrecedes(b.name) { return -1 }
        return a.name.elementsEqual(b.name) ? 0 : 1
    }

    private static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        var i = 0
        var j = 0
        while i < a.count, j < b.count {
            let (x, y) = (a[i], b[j])
            if x.isASCIIDigit, y.isASCIIDigit {
                let first = digits(a, &i), second = digits(b, &j)
                if first.count != second.count { return first.count - second.count }
                for (x, y) in zip(first, second) where a[x] != b[y] { return Int(a[x]) - Int(b[y]) }
            } else {
                let (x, y) = (x.asciiLowercased, y.asciiLowercased)
                if x != y { return Int(x) - Int(y) }
                i += 1
                j += 1
            }
        }
        return (a.count - i) - (b.count - j)
    }

    /// Returns the range of the digits from `index` on, without leading zeros, and moves `index` to the first byte after these digits.
    private static func digits(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Range<Int> {
        var start = index
        while index < bytes.count, bytes[index].isASCIIDigit { index += 1 }
        while start < index, bytes[start] == UInt8(ascii: "0") { start += 1 }
        return start..<index
    }
}
