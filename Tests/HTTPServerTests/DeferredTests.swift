import Dispatch
import HTTPServer
import PlaybackTesting
import RemoteControl
import Synchronization
import Testing

/// Tests of responses that the handler completes later, from another thread.
@Suite struct DeferredTests {
    /// Stores the completion of each request by the path of the request. A test calls a completion to send the response.
    private final class Desk: Sendable {
        private let completions = Mutex<[String: ScriptedHandler.Completion]>([:])
        let asked = Occasion()

        var handler: ScriptedHandler {
            ScriptedHandler { request, completion in
                if request.path == "/now" { return HTTPResponse(status: 200, headers: [], body: Array("now".utf8)) }
                self.completions.withLock { $0[request.path] = completion }
                self.asked.happen()
                return nil
            }
        }

        func complete(_ path: String, _ text: String) { complete(path, HTTPResponse(status: 200, headers: [], body: Array(text.utf8))) }
        func complete(_ path: String, _ response: HTTPResponse) { completions.withLock { $0[path] }?(response) }

        func drop(_ path: String) { _ = completions.withLock { $0.removeValue(forKey: path) } }
    }

    /// A running server with the handler of a desk.
    private struct Rig {
        let desk = Desk()
        let handler: ScriptedHandler
        let server: RunningServer

        init(configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
            handler = desk.handler
            server = try RunningServer(handler, configure: configure)
        }

        /// Returns a new client that waits for the response to its request for `path`, which the handler has received.
        func waitingClient(_ path: String) throws -> TestClient {
            let client = try server.client()
            try client.get(path)
            #expect(desk.asked.wait())
            return client
        }
    }

    @Test("the server is answering from a complete request until its client has received the response")
    func isAnswering() throws {
        let rig = try Rig()
        /// Returns after the server has done all that it received before.
        func settle() throws {
            let client = try rig.server.client()
            try client.get("/now", headers: "Connection: close\r\n")
            _ = try client.readToEnd()
        }
        let half = try rig.server.client()
        try half.send("GET / HTTP/1.1\r\nHo")
        try settle()
        #expect(!rig.server.server.isAnswering)
        let client = try rig.server.client()
        try client.get("/late", headers: "Connection: close\r\n")
        #expect(rig.desk.asked.wait())
        try settle()
        #expect(rig.server.server.isAnswering)
        rig.desk.complete("/late", "answer")
        // The server closes the connection after it has sent the response.
        #expect(String(decoding: try client.readToEnd(), as: UTF8.self).hasSuffix("answer"))
        #expect(!rig.server.server.isAnswering)
        rig.server.server.stop()
        #expect(!rig.server.server.isAnswering)
    }

    @Test("responses are sent in the order of completion, each for its own request")
    func outOfOrder() throws {
        let rig = try Rig()
        let clients = try (0..<8).map { try rig.waitingClient("/\($0)") }
        for number in [5, 0, 7, 3, 1, 6, 2, 4] {
            rig.desk.complete("/\(number)", "answer \(number)")
            #expect(try clients[number].response().text == "answer \(number)")
        }
        // The connections stay open, so that their clients can send another request.
        for client in clients {
            try client.get("/now")
            #expect(try client.response().text == "now")
        }
    }

    @Test("concurrent completions from many threads all arrive")
    func concurrent() throws {
        let rig = try Rig()
        let desk = rig.desk
        let clients = try (0..<50).map { _ in try rig.server.client() }
        for round in 0..<5 {
            for (number, client) in clients.enumerated() { try client.get("/\(round).\(number)") }
            for _ in clients { #expect(rig.desk.asked.wait()) }
            DispatchQueue.concurrentPerform(iterations: clients.count) { desk.complete("/\(round).\($0)", "\($0)") }
            for (number, client) in clients.enumerated() { #expect(try client.response().text == "\(number)") }
        }
    }

    @Test("a completion before the handler returns is the response")
    func early() throws {
        let server = try RunningServer(
            ScriptedHandler { request, completion in
                completion(HTTPResponse(status: 200, headers: [], body: request.body + Array("!".utf8)))
                return nil
            })
        let client = try server.client()
        for _ in 0..<3 {
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
            #expect(try client.response().text == "hi!")
        }
    }

    @Test("only the first completion counts")
    func twice() throws {
        let rig = try Rig()
        let client = try rig.waitingClient("/a")
        rig.desk.complete("/a", "first")
        rig.desk.complete("/a", "second")
        #expect(try client.response().text == "first")
        rig.desk.complete("/a", "third")
        try client.get("/now")
        #expect(try client.response().text == "now")
    }

    @Test("a completion is ignored if the handler also returns a response")
    func both() throws {
        let server = try RunningServer(
            ScriptedHandler { _, completion in
                completion(HTTPResponse(status: 500))
                return HTTPResponse(status: 200)
            })
        let client = try server.client()
        try client.get("/")
        #expect(try client.response().status == 200)
        try client.get("/")
        #expect(try client.response().status == 200)
    }

    @Test("a completion that is released without a call closes the connection")
    func dropped() throws {
        let rig = try Rig()
        let client = try rig.waitingClient("/a")
        rig.desk.drop("/a")
        #expect(try client.readToEnd() == [])
    }

    @Test("pipelined requests after a waiting one are answered after it")
    func pipelined() throws {
        let rig = try Rig()
        let client = try rig.server.client()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /now HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(rig.desk.asked.wait())
        rig.desk.complete("/a", "late")
        #expect(try client.response().text == "late")
        #expect(try client.response().text == "now")
    }

    @Test("a response for a disconnected client is discarded, and other clients are served")
    func clientLeft() throws {
        let rig = try Rig()
        let client = try rig.waitingClient("/a")
        client.reset()
        rig.desk.complete("/a", String(repeating: "x", count: 1 << 20))
        let other = try rig.server.client()
        try other.get("/now")
        #expect(try other.response().text == "now")
    }

    @Test("a client that disconnects while it waits frees its connection")
    func clientLeftWhileWaiting() throws {
        let rig = try Rig {
            $0.maximumConnections = 1
            $0.requestTimeout = 1
        }
        let client = try rig.server.servedClient("/now")
        try client.get("/a")
        #expect(rig.desk.asked.wait())
        client.close()
        var isServed = false
        for _ in 0..<100_000 where !isServed {
            let other = try rig.server.client()
            isServed = (try? other.get("/now")) != nil && (try? other.response()) != nil
        }
        #expect(isServed)
        rig.desk.complete("/a", "nobody")
    }

    @Test("the request of a client that disconnects while it waits is abandoned, and that of another client is not")
    func abandonment() throws {
        let rig = try Rig { $0.requestTimeout = 1 }
        let staying = try rig.server.servedClient("/now"), leaving = try rig.server.servedClient("/now")
        try staying.get("/a")
        #expect(rig.desk.asked.wait())
        try leaving.get("/b")
        #expect(rig.desk.asked.wait())
        leaving.close()
        #expect(rig.handler.abandoned.wait())
        rig.desk.complete("/a", "answer")
        #expect(try staying.response().text == "answer")
        #expect(rig.handler.abandoned.count == 1)
    }

    @Test("a stream can be the late response")
    func lateStream() throws {
        let stream = ScriptedStream()
        stream.push("data: 1\n\n")
        let rig = try Rig()
        let client = try rig.waitingClient("/a")
        rig.desk.complete("/a", HTTPResponse(status: 200, headers: [], events: stream))
        #expect(try client.head().status == 200)
        #expect(try client.read(through: "\n\n") == "data: 1\n\n")
    }

    @Test("a server that stops closes waiting connections, and a late completion is harmless")
    func stop() throws {
        let rig = try Rig()
        let clients = try (0..<10).map { try rig.waitingClient("/\($0)") }
        rig.server.server.stop()
        for (number, client) in clients.enumerated() {
            #expect(try client.readToEnd() == [])
            rig.desk.complete("/\(number)", "too late")
        }
    }

    @Test("completions and the server's stop may be concurrent")
    func stopRace() throws {
        for _ in 0..<30 {
            let rig = try Rig()
            let clients = try (0..<4).map { try rig.waitingClient("/\($0)") }
            let finished = DispatchGroup()
            for number in 0..<4 { DispatchQueue.global().async(group: finished) { [desk = rig.desk] in desk.complete("/\(number)", "x") } }
            rig.server.server.stop()
            finished.wait()
            for client in clients { _ = try client.readToEnd() }
        }
    }

    @Test("a stream completed after the stop is closed")
    func streamTooLate() throws {
        let stream = ScriptedStream()
        let rig = try Rig()
        let client = try rig.waitingClient("/a")
        rig.server.server.stop()
        #expect(try client.readToEnd() == [])
        rig.desk.complete("/a", HTTPResponse(status: 200, headers: [], events: stream))
        #expect(stream.closed.count == 1)
        #expect(stream.opened.count == 0)
    }
}
