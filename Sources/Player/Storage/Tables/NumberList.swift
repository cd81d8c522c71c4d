/// The compact form of a list of entry numbers in the database: the differences between consecutive numbers, each in groups of seven bits (zigzag,
/// then LEB128).
///
/// The list of 10,000 entries has 10 KB in the original order, and up to 30 KB in a shuffled order, so a move of an entry rewrites only a few pages
/// of the database.
enum NumberList {
    static func encode(_ numbers: [Int]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 2)
        var last = 0
        for number in numbers {
            let difference = number &- last
            last = number
            var rest = UInt(bitPattern: (difference << 1) ^ (difference >> (Int.bitWidth - 1)))
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes
    }

    /// Returns the numbers that `bytes` encode; nil if the bytes are malformed.
    static func decode(_ bytes: [UInt8]) -> [Int]? {
        var numbers: [Int] = []
        numbers.reserveCapacity(bytes.count)
        var last = 0
        var value: UInt = 0
        var shift: UInt = 0
        for byte in bytes {
            guard shift < 64 else { return nil }
            value |= UInt(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            last &+= Int(bitPattern: value >> 1) ^ -Int(bitPattern: value & 1)
            numbers.append(last)
            (value, shift) = (0, 0)
        }
        return shift == 0 ? numbers : nil
    }
}
