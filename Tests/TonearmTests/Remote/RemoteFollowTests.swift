import Testing

@testable import tonearm

@Suite("Following a daemon")
struct RemoteFollowTests {
    @Test("events are split in any pieces, with their names, ids and data")
    func events() {
        let bytes = Array(": hello\nid: e:1\nevent: state\ndata: {}\n\nevent: tick\r\ndata:{\"a\":1}\r\n\r\nretry: 5\n\ndata: x\ndata: y\n\n".utf8)
        let expected = [
            RemoteEvent(name: "state", id: "e:1", data: Array("{}".utf8)), RemoteEvent(name: "tick", data: Array("{\"a\":1}".utf8)),
            RemoteEvent(data: Array("x\ny".utf8)),
        ]
        for size in [1, 3, 200] {
            var parser = RemoteEventParser()
            #expect(stride(from: 0, to: bytes.count, by: size).flatMap { parser.take(bytes[$0..<min(bytes.count, $0 + size)]) } == expected)
        }
    }

    @Test("an event beyond the limit ends the stream, and events below it do not add up")
    func limit() {
        var parser = RemoteEventParser()
        let event = Array(("data: " + String(repeating: "x", count: 600_000) + "\n\n").utf8)
        #expect(parser.take(event + event).count == 2)
        #expect(!parser.hasOverflowed)
        #expect(parser.take(Array(repeating: 0x20, count: RemoteEventParser.maximumSize + 1)).isEmpty)
        #expect(parser.hasOverflowed)
        #expect(parser.take(event).isEmpty)
    }

    private func state(_ title: String, time: Double = 0, reason: String = "seek") -> RemoteEvent {
        RemoteEvent(name: "state", id: "e:1", data: Array(RemoteFixture.state(title: title, time: time, reason: reason).utf8))
    }
    private func tick(_ time: Double) -> RemoteEvent { RemoteEvent(name: "tick", data: Array("{\"currentTime\":\(time)}".utf8)) }

    @Test("without a terminal each change is a line, and nothing repeats")
    func lines() {
        var follow = RemoteFollow(isJSON: false, columns: nil)
        #expect(follow.query.isEmpty)
        #expect(follow.take(state("A", time: 5)) == "playing  0:05 / 1:40  A  (seek by web)\n")
        #expect(follow.take(state("A", time: 5)) == "")
        #expect(follow.take(RemoteEvent(name: "buffer", data: Array("{}".utf8))) == "")
        #expect(follow.take(state("B", time: 5)) == "playing  0:05 / 1:40  B  (seek by web)\n")
    }

    @Test("on a terminal one line is rewritten with each tick, within the width of the terminal")
    func live() {
        var follow = RemoteFollow(isJSON: false, columns: 30)
        #expect(follow.query == "?tick=1")
        #expect(follow.take(tick(1)) == "")
        #expect(follow.take(state("A long title", time: 5)) == "\rplaying  0:05 / 1:40  A long…\u{1B}[K")
        #expect(follow.take(tick(6.2)) == "\rplaying  0:06 / 1:40  A long…\u{1B}[K")
        #expect(follow.take(tick(6.9)) == "")
    }

    @Test("a title cannot control the terminal or break the line")
    func hostile() {
        for columns in [nil, 200] {
            var follow = RemoteFollow(isJSON: false, columns: columns)
            let line = follow.take(state("\\u001b]0;x\\u0007\\n\\r\\u202e\\u009b2J"))
            let text = line.replacing("\u{1B}[K", with: "").drop { $0 == "\r" }
            #expect(text.contains("\\u{1b}]0;x"))
            #expect(
                !text.unicodeScalars.dropLast().contains { $0.properties.generalCategory == .control || $0.properties.generalCategory == .format })
        }
    }

    @Test("as JSON each event is one line in the form of the WebSocket")
    func json() {
        var follow = RemoteFollow(isJSON: true, columns: 80)
        #expect(follow.query.isEmpty)
        #expect(
            follow.take(RemoteEvent(name: "a\"b", id: "e:1", data: Array("{\"x\":1}".utf8)))
                == "{\"event\":\"a\\\"b\",\"id\":\"e:1\",\"data\":{\"x\":1}}\n")
        #expect(follow.take(RemoteEvent(name: "tick", data: Array("{\n}".utf8))) == "{\"event\":\"tick\",\"data\":{ }}\n")
    }

    @Test("a malformed event prints nothing")
    func malformed() {
        var follow = RemoteFollow(isJSON: false, columns: nil)
        #expect(follow.take(RemoteEvent(name: "state", data: Array("{}".utf8))) == "")
    }
}
