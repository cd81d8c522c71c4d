import Testing

@testable import PlaybackEngine

@Suite("The metadata in the course of a medium")
struct TimedMetadataLogTests {
    private let log = TimedMetadataLog()

    private func title(_ text: String) -> [MetadataEntry] { [MetadataEntry(key: "StreamTitle", value: text)] }

    @Test("metadata get the time of the first packet at or after their byte")
    func places() {
        log.add(title("a"), atByte: 1000)
        log.reach(byte: 999, time: 1)
        #expect(log.placed.isEmpty)
        log.reach(byte: 1200, time: 2)
        #expect(log.placed == [TimedMetadata(time: 2, entries: title("a"))])
        log.reach(byte: 1300, time: 3)
        #expect(log.placed.count == 1)
    }

    @Test("metadata that repeat the preceding ones are ignored, and so is an empty title before the first one")
    func repetition() {
        log.add([], atByte: 5)
        for offset in [10, 20, 30] as [Int64] { log.add(title("a"), atByte: offset) }
        log.reach(byte: 100, time: 1)
        log.add([], atByte: 200)
        log.reach(byte: 200, time: 9)
        #expect(log.placed == [TimedMetadata(time: 1, entries: title("a")), TimedMetadata(time: 9, entries: [])])
    }

    @Test("of metadata that are close together, the last ones are kept")
    func distance() {
        for index in 0..<10 {
            log.add(title("\(index)"), atByte: Int64(index))
            log.reach(byte: Int64(index), time: Double(index) * 0.01)
        }
        #expect(log.placed.map(\.entries) == [title("9")])
    }

    @Test("the number of metadata has a limit; the oldest ones are discarded")
    func limit() {
        for index in 0..<1000 { log.add(title("\(index)"), atTime: Double(index)) }
        #expect(log.placed.count == TimedMetadataLog.limit && log.placed.last?.time == 999)
        for index in 0..<1000 { log.add(title("\(index)"), atByte: Int64(index)) }
        log.reach(byte: 1000 - Int64(TimedMetadataLog.limit) - 1, time: 5000)
        #expect(log.placed.last?.time == 999)
    }

    @Test("metadata are ordered by their times, and a time that is no number is ignored")
    func order() {
        log.add(title("b"), atTime: 2)
        log.add(title("a"), atTime: 1)
        log.add(title("c"), atTime: .nan)
        #expect(log.placed.map(\.time) == [1, 2])
    }
}
