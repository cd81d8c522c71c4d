import Platform

/// The index of each of distinct ids in their order. The id of an entry has its number, so a table takes the place of a dictionary, which would have
/// to hash all ids after each edit of a great queue.
struct EntryIndex: Sendable, Equatable {
    /// The number of the first element of `table`.
    private var first = 0
    /// The index for each number, or -1. Empty if a dictionary is used.
    private var table: [Int32] = []
    /// The indices if an id has no number, or if the numbers are few of a large range.
    private var others: [String: Int] = [:]

    init() {}

    init(_ ids: some Collection<String>) {
        var numbers: [Int] = []
        numbers.reserveCapacity(ids.count)
        for id in ids {
            guard let number = Self.number(of: id) else { break }
            numbers.append(number)
        }
        guard numbers.count == ids.count, let smallest = numbers.min(), let largest = numbers.max(), largest - smallest < 8 * numbers.count + 1024
        else {
            others = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
            return
        }
        first = smallest
        table = Array(repeating: -1, count: largest - smallest + 1)
        for (index, number) in numbers.enumerated() { table[number - smallest] = Int32(index) }
    }

    subscript(id: String) -> Int? {
        if table.isEmpty { return others[id] }
        guard let number = Self.number(of: id), table.indices.contains(number - first), table[number - first] >= 0 else { return nil }
        return Int(table[number - first])
    }

    /// The number of an id in the form of `PlaylistEntry.id`, without leading zeros; nil for any other text.
    private static func number(of id: String) -> Int? {
        var number = 0
        var count = 0
        for byte in id.utf8 {
            count += 1
            if count == 1 {
                guard byte == UInt8(ascii: "e") else { return nil }
                continue
            }
            guard byte.isASCIIDigit, count <= 19, number > 0 || count == 2 else { return nil }
            number = 10 * number + Int(byte - UInt8(ascii: "0"))
        }
        return count > 1 ? number : nil
    }
}
