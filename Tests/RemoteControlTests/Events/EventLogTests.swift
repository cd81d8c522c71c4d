import Testing

@testable import RemoteControl

@Suite struct EventLogTests {
    private func log(events: Int, bytes: Int = .max, count: Int, size: Int = 10) -> EventLog {
        var log = EventLog(capacity: EventLog.Capacity(events: events, bytes: bytes))
        for _ in 0..<count { log.append { EventFrame(sequence: $0, id: "e:\($0)", name: "x", payload: Array(repeating: 0x20, count: size)) } }
        return log
    }

    @Test("an empty log has no frame and can replay only after sequence 0")
    func empty() {
        let log = log(events: 4, count: 0)
        #expect(log.newest == 0)
        #expect(log.frame(0) == nil)
        #expect(log.frame(1) == nil)
        #expect(log.canReplay(after: 0))
        #expect(!log.canReplay(after: 1))
        #expect(!log.canReplay(after: -1))
    }

    @Test("the log keeps the newest events by sequence and drops older ones")
    func ring() {
        let log = log(events: 4, count: 11)
        #expect(log.newest == 11)
        #expect((8...11).map { log.frame($0)?.sequence } == [8, 9, 10, 11])
        #expect(log.frame(7) == nil)
        #expect(log.frame(12) == nil)
        #expect(log.canReplay(after: 7))
        #expect(!log.canReplay(after: 6))
        #expect(log.canReplay(after: 11))
        #expect(!log.canReplay(after: 12))
    }

    @Test("the log is limited in bytes too, but always keeps the newest event")
    func bytes() throws {
        let size = try #require(log(events: 1, count: 1).frame(1)).bytes.count
        let bounded = log(events: 100, bytes: size * 3 + 1, count: 9)
        #expect(bounded.frame(7) != nil)
        #expect(bounded.frame(6) == nil)
        let huge = log(events: 100, bytes: 1, count: 3)
        #expect(huge.frame(3) != nil)
        #expect(huge.frame(2) == nil)
        #expect(log(events: 1, count: 5).frame(5) != nil)
    }

    @Test("a frame consists of fields, data and an empty line, and knows the range of its JSON payload")
    func frame() {
        let frame = EventFrame(sequence: 7, id: "e:7", name: "state", payload: Array("{}".utf8), retry: 1000)
        #expect(String(decoding: frame.bytes, as: UTF8.self) == "id: e:7\nevent: state\nretry: 1000\ndata: {}\n\n")
        #expect(frame.bytes[frame.payload].elementsEqual("{}".utf8))
    }
}
