import HTTPServer
import PlaybackTesting
import RemoteControl
import Testing

/// Tests of event streams: each client has a stream of its own, and reads it at its own speed.
@Suite struct EventTests {
    private func listen(_ server: RunningServer, receiveBuffer: Int32? = nil) throws -> TestClient {
        let client = try server.client(receiveBuffer: receiveBuffer)
        try client.get("/events")
        return client
    }

    @Test("data in a stream at its opening and added later reaches its client")
    func delivery() throws {
        let stream = ScriptedStream()
        stream.push("data: first\n\n")
        let server = try RunningServer(ScriptedHandler.streaming(stream))
        let client = try listen(server)
        let head = try client.head()
        #expect(head.status == 200)
        #expect(head.header("Content-Type") == "text/event-stream")
        #expect(head.header("Content-Length") == nil)
        #expect(head.header("Transfer-Encoding") == nil)
        #expect(head.header("Date")?.hasSuffix(" GMT") == true)
        #expect(try client.read(through: "\n\n") == "data: first\n\n")
        for number in 0..<100 {
            stream.push("data: \(number)\n\n")
            #expect(try client.read(through: "\n\n") == "data: \(number)\n\n")
        }
    }

    @Test("one call wakes every stream")
    func wakeAll() throws {
        let streams = (0..<5).map { _ in ScriptedStream() }
        let handler = ScriptedHandler.streaming(streams[0], streams[1], streams[2], streams[3], streams[4])
        let server = try RunningServer(handler)
        let clients = try streams.map { _ in try listen(server) }
        for (stream, client) in zip(streams, clients) {
            _ = try client.head()
            #expect(stream.opened.wait())
        }
        for round in 0..<10 {
            for stream in streams { stream.push("data: \(round)\n\n", wakes: false) }
            handler.wakeAll()
            for client in clients { #expect(try client.read(through: "\n\n") == "data: \(round)\n\n") }
        }
    }

    @Test("a client that reads nothing does not delay another, and uses only its buffers")
    func slowClient() throws {
        let slow = ScriptedStream()
        let quick = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(slow, quick))
        let slowClient = try listen(server, receiveBuffer: 4096)
        #expect(slow.opened.wait())
        let quickClient = try listen(server)
        _ = try quickClient.head()
        #expect(quick.opened.wait())
        slow.push(Array(repeating: UInt8(ascii: "s"), count: 4 << 20))
        for number in 0..<50 {
            quick.push("data: \(number)\n\n")
            slow.push("more")
            #expect(try quickClient.read(through: "\n\n") == "data: \(number)\n\n")
        }
        // The server has stopped reading from the slow client's stream. The unread data stay in the stream, which has the task to coalesce them.
        #expect(slow.waiting > 2 << 20)
        slowClient.close()
        #expect(slow.closed.wait())
    }

    @Test("a client that pauses receives every byte in order after it reads again")
    func resumes() throws {
        let stream = ScriptedStream()
        let bytes = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 10) }
        stream.push(bytes)
        let server = try RunningServer(ScriptedHandler.streaming(stream))
        let client = try listen(server, receiveBuffer: 8192)
        #expect(stream.opened.wait())
        #expect(try client.head().status == 200)
        #expect(try client.read(count: bytes.count) == bytes)
        stream.push("end")
        #expect(try client.read(count: 3) == Array("end".utf8))
    }

    enum Departure: CaseIterable { case close, reset, halfClose }

    @Test("a disconnect is noticed at once, without an event to send", arguments: Departure.allCases)
    func departure(_ departure: Departure) throws {
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream)) { $0.maximumConnections = 1 }
        let client = try listen(server)
        _ = try client.head()
        #expect(stream.opened.wait())
        switch departure {
        case .close: client.close()
        case .reset: client.reset()
        case .halfClose: client.finishSending()
        }
        #expect(stream.closed.wait())
        if departure == .halfClose { #expect(try client.readToEnd() == []) }
        #expect(stream.closed.count == 1)
    }

    @Test("a client that keeps sending on its event connection gets no response, and still receives events")
    func talkative() throws {
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream))
        let client = try listen(server)
        _ = try client.head()
        #expect(stream.opened.wait())
        try client.get("/other")
        stream.push("data: 1\n\n")
        #expect(try client.read(through: "\n\n") == "data: 1\n\n")
    }

    @Test("a stream that ends closes its connection after its last byte")
    func end() throws {
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream))
        let client = try listen(server)
        _ = try client.head()
        #expect(stream.opened.wait())
        stream.push("last", wakes: false)
        stream.end()
        #expect(try client.readToEnd() == Array("last".utf8))
        #expect(stream.closed.wait())
    }

    @Test("a long stream that ends arrives complete at a slow client")
    func endWhileBlocked() throws {
        let stream = ScriptedStream()
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 9) }
        stream.push(bytes)
        stream.end()
        let server = try RunningServer(ScriptedHandler.streaming(stream))
        let client = try listen(server, receiveBuffer: 8192)
        #expect(stream.opened.wait())
        _ = try client.head()
        #expect(try client.readToEnd() == bytes)
        #expect(stream.closed.wait())
    }

    @Test("HEAD for a stream returns its head, and the stream is closed without being opened")
    func head() throws {
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream))
        let client = try server.client()
        try client.get("/events", method: "HEAD")
        let response = try client.response(isHead: true)
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/event-stream")
        #expect(try client.readToEnd() == [])
        #expect(stream.closed.wait())
        #expect(stream.opened.count == 0)
    }

    @Test("a client that reads nothing for too long is dropped")
    func stalled() throws {
        let stream = ScriptedStream()
        stream.push(Array(repeating: 0x20, count: 4 << 20))
        let server = try RunningServer(ScriptedHandler.streaming(stream)) {
            $0.stalledStreamTimeout = 0.5
            $0.requestTimeout = 2
        }
        let client = try listen(server, receiveBuffer: 4096)
        #expect(stream.opened.wait())
        #expect(stream.closed.wait())
        _ = client
    }

    @Test("an idle stream stays open, whatever the request time-outs")
    func idle() throws {
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream)) {
            $0.stalledStreamTimeout = 0.1
            $0.requestTimeout = 1
        }
        let client = try server.servedClient()
        try client.get("/events")
        _ = try client.head()
        // Two connections without a request time out, one after the other. Meanwhile the event stream must not time out.
        for _ in 0..<2 { #expect(try server.client().readToEnd() == []) }
        stream.push("data: 1\n\n")
        #expect(try client.read(through: "\n\n") == "data: 1\n\n")
        #expect(stream.closed.count == 0)
    }

    @Test("waking streams after their end, or after the server's, is harmless")
    func lateWake() throws {
        let stream = ScriptedStream()
        let handler = ScriptedHandler.streaming(stream)
        let server = try RunningServer(handler)
        let client = try listen(server)
        _ = try client.head()
        #expect(stream.opened.wait())
        client.close()
        #expect(stream.closed.wait())
        stream.push("nobody")
        server.server.stop()
        stream.push("nobody")
        handler.wakeAll()
        #expect(stream.closed.count == 1)
        #expect(stream.waiting == 12)
    }

    @Test("a thousand clients connect, receive an event and disconnect")
    func many() throws {
        let streams = (0..<1000).map { _ in ScriptedStream() }
        let next = Counter()
        let handler = ScriptedHandler { _, _ in HTTPResponse(status: 200, headers: [], events: streams[next.take()]) }
        let server = try RunningServer(handler)
        let clients = try streams.map { _ in try listen(server) }
        for client in clients { _ = try client.head() }
        for stream in streams { #expect(stream.opened.wait()) }
        for stream in streams { stream.push("data: x\n\n", wakes: false) }
        handler.wakeAll()
        for client in clients { #expect(try client.read(through: "\n\n") == "data: x\n\n") }
        for client in clients { client.close() }
        for stream in streams { #expect(stream.closed.wait()) }
    }
}
