import Testing

@testable import Player

@Suite("NumberList") struct NumberListTests {
    @Test("a list is decoded as it was encoded", arguments: [[], [1], [1, 2, 3], [5, 1, 300, 299, 1_000_000], [.max, .min, 0, .max]] as [[Int]])
    func roundTrip(numbers: [Int]) {
        #expect(NumberList.decode(NumberList.encode(numbers)) == numbers)
    }

    @Test("an order of 10,000 entries that was never changed has one byte for each entry")
    func size() {
        #expect(NumberList.encode(Array(1...10_000)).count == 10_000)
    }

    @Test("bytes that are no list are refused", arguments: [[0x80], [0x02, 0xFF], Array(repeating: 0xFF, count: 11)] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(NumberList.decode(bytes) == nil)
    }
}
