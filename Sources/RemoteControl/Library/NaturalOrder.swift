import Platform

/// The order of names regardless of case, and with numbers ordered by their value (`2` before `10`). It is a total order of byte strings.
enum NaturalOrder {
    struct Key: Sendable {
        /// The bytes of the name, which decide if `folded` is equal.
        let exact: [UInt8]
        /// The name in lower case; only ASCII letters change if the name is not UTF-8.
        private let folded: [UInt8]

        init(_ name: some Collection<UInt8>) {
            exact = Array(name)
            let isASCII = exact.allSatisfy { $0 < 0x80 }
            let text = isASCII ? nil : String(validating: exact, as: UTF8.self)
            let lower = text.map { Array($0.lowercased().utf8) } ?? exact.map(\.asciiLowercased)
            folded = lower == exact ? exact : lower
        }

        func precedes(_ other: Key) -> Bool {
            switch folded.withUnsafeBufferPointer({ a in other.folded.withUnsafeBufferPointer { NaturalOrder.compare(a, $0) } }) {
            case 0: exact.lexicographicallyPrecedes(other.exact)
            case let order: order < 0
            }
        }
    }

    /// Compares folded names.
    private static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        var i = 0
        var j = 0
        while i < a.count, j < b.count {
            if a[i].isASCIIDigit, b[j].isASCIIDigit {
                let first = digits(a, &i)
                let second = digits(b, &j)
                if first.count != second.count { return first.count - second.count }
                for (x, y) in zip(first, second) where a[x] != b[y] { return Int(a[x]) - Int(b[y]) }
            } else {
                if a[i] != b[j] { return Int(a[i]) - Int(b[j]) }
                i += 1
                j += 1
            }
        }
        return (a.count - i) - (b.count - j)
    }

    /// The range of the digits without leading zeros; `index` moves to the byte after them.
    private static func digits(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Range<Int> {
        while index < bytes.count, bytes[index] == UInt8(ascii: "0") { index += 1 }
        let start = index
        while index < bytes.count, bytes[index].isASCIIDigit { index += 1 }
        return start..<index
    }
}
