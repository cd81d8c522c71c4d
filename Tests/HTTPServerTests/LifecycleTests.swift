import HTTPServer
import PlaybackTesting
import RemoteControl
import Synchronization
import Testing

/// A counter that several threads can increment.
final class Counter: Sendable {
    private let value = Mutex(0)

    func take() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}

/// Tests of the server's start and stop, and of the limits of its connections.
@Suite struct LifecycleTests {
    @Test("a server that stops closes idle connections, incomplete requests and event streams")
    func stop() throws {
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream))
        let idle = try server.client()
        try idle.get("/")
        _ = try idle.response()
        let half = try server.client()
        try half.send("GET / HTTP/1.1\r\nHo")
        let events = try server.client()
        try events.get("/events")
        _ = try events.head()
        #expect(stream.opened.wait())
        server.server.stop()
        #expect(stream.closed.count == 1)
        for client in [idle, half, events] { #expect(try client.readToEnd() == []) }
        #expect(throws: TestClient.Failure.self) { try server.client() }
        server.server.stop()
    }

    @Test("a stopped server frees its port, whether it was started or not", arguments: [true, false])
    func portIsFree(isStarted: Bool) throws {
        // No other server listens on this address, so none takes the port while it is free.
        let host = isStarted ? "127.0.0.77" : "127.0.0.78"
        var configuration = ServerConfiguration(address: try ListenAddress("\(host):0"))
        let first = try MicroHTTPServer(configuration: configuration, handler: ScriptedHandler.echo)
        configuration.address = first.boundAddress
        if isStarted { try first.start() }
        first.stop()
        let second = try MicroHTTPServer(configuration: configuration, handler: ScriptedHandler.echo)
        try second.start()
        let client = try TestClient(port: second.port, address: host)
        try client.get("/")
        #expect(try client.response().status == 200)
        second.stop()
        try first.start()
        #expect(throws: TestClient.Failure.self) { try TestClient(port: second.port, address: host) }
    }

    @Test("releasing a server stops it")
    func dropped() throws {
        var server: RunningServer? = try RunningServer(ScriptedHandler.echo)
        let client = try TestClient(port: try #require(server?.server.port))
        try client.get("/")
        _ = try client.response()
        server = nil
        #expect(try client.readToEnd() == [])
    }

    @Test("clients that connect before the start are served after it")
    func earlyClient() throws {
        let server = try MicroHTTPServer(
            configuration: ServerConfiguration(address: try ListenAddress("127.0.0.1:0")), handler: ScriptedHandler.echo)
        let client = try TestClient(port: server.port)
        try client.get("/early")
        try server.start()
        #expect(try client.response().text == "GET|/early|-||0|")
        server.stop()
    }

    @Test("a port in use is reported in one sentence")
    func portInUse() throws {
        let first = try RunningServer(ScriptedHandler.echo)
        let address = first.server.boundAddress
        let error = #expect(throws: ServerError.addressInUse(address.description)) {
            try MicroHTTPServer(configuration: ServerConfiguration(address: address), handler: ScriptedHandler.echo)
        }
        #expect(error?.description == "Cannot listen on 127.0.0.1:\(address.port): the port is in use by another program.")
        withExtendedLifetime(first) {}
    }

    @Test("an address that this machine does not have is reported in one sentence")
    func addressNotAvailable() throws {
        let configuration = ServerConfiguration(address: try ListenAddress("192.0.2.1:0"))
        let error = #expect(throws: ServerError.addressNotAvailable("192.0.2.1:0")) {
            try MicroHTTPServer(configuration: configuration, handler: ScriptedHandler.echo)
        }
        #expect(error?.description == "Cannot listen on 192.0.2.1:0: this machine does not have that address.")
    }

    @Test("a listener on :: accepts IPv4 clients, with their IPv4 addresses")
    func dualStack() throws {
        let server = try RunningServer(
            ScriptedHandler { request, _ in HTTPResponse(status: 200, body: Array("\(request.peer.address) \(request.peer.isLoopback)".utf8)) }
        ) { $0.address = (try? ListenAddress("[::]:0")) ?? $0.address }
        #expect(server.server.boundAddress.host == "::")
        let client = try server.client()
        try client.get("/")
        #expect(try client.response().text == "127.0.0.1 true")
    }

    @Test("a connection beyond the limit is closed, and accepted after another one has ended")
    func connectionLimit() throws {
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream)) { $0.maximumConnections = 2 }
        let first = try server.client()
        try first.get("/events")
        _ = try first.head()
        #expect(stream.opened.wait())
        let second = try server.client()
        try second.get("/")
        #expect(try second.response().status == 200)
        #expect(try server.client().readToEnd() == [])
        // The connection of an event stream counts, although libmicrohttpd has handed over its socket. After the stream has ended, another connection
        // is accepted.
        first.close()
        #expect(stream.closed.wait())
        let third = try server.client()
        try third.get("/")
        #expect(try third.response().status == 200)
    }

    @Test(
        "a client that sends nothing, a part of a head, or a part of a body times out",
        arguments: ["", "GET / HT", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"])
    func slowSender(_ part: String) throws {
        let server = try RunningServer(ScriptedHandler.echo) { $0.requestTimeout = 1 }
        let client = try server.client()
        try client.send(part)
        #expect(try client.readToEnd() == [])
    }

    @Test("a client that sends single bytes at intervals times out too")
    func dribble() throws {
        let server = try RunningServer(ScriptedHandler.echo) { $0.requestTimeout = 1 }
        let client = try server.client()
        client.deadline = 0.02
        var isOpen = true
        for _ in 0..<1000 where isOpen {
            // The client sends one byte at a time. Its attempt to read, which lasts 20 ms, is the pause between two bytes.
            isOpen = (try? client.send("x")) != nil && (try? client.readToEnd()) == nil
        }
        #expect(!isOpen)
    }

    @Test("a served connection without a further request times out")
    func idleConnection() throws {
        let server = try RunningServer(ScriptedHandler.echo) {
            $0.requestTimeout = 1
            $0.keepAliveTimeout = 1
        }
        let client = try server.servedClient()
        #expect(try client.readToEnd() == [])
    }

    @Test("a served connection may idle for longer than one without any request")
    func restingConnection() throws {
        let server = try RunningServer(ScriptedHandler.echo) { $0.requestTimeout = 1 }
        let client = try server.servedClient()
        // Three connections without a request time out, one after the other. During that time the connection under test must stay open.
        for _ in 0..<3 { #expect(try server.client().readToEnd() == []) }
        try client.get("/again")
        #expect(try client.response().status == 200)
    }

    @Test("after an idle time, an incomplete request times out as early as on a new connection")
    func slowSenderAfterRest() throws {
        let server = try RunningServer(ScriptedHandler.echo) { $0.requestTimeout = 1 }
        let client = try server.servedClient()
        try client.send("GET /again HTTP/1.1\r\nHost:")
        #expect(try client.readToEnd() == [])
    }

    @Test("a request whose handler is working does not time out")
    func thinking() throws {
        let completion = Mutex<ScriptedHandler.Completion?>(nil)
        let asked = Occasion()
        let server = try RunningServer(
            ScriptedHandler { request, done in
                if request.path == "/first" { return HTTPResponse(status: 200) }
                completion.withLock { $0 = done }
                asked.happen()
                return nil
            }
        ) { $0.requestTimeout = 1 }
        let client = try server.servedClient("/first")
        try client.get("/")
        #expect(asked.wait())
        // Two idle connections time out, one after the other. During that time the connection under test must stay open.
        for _ in 0..<2 { #expect(try server.client().readToEnd() == []) }
        completion.withLock { $0 }?(HTTPResponse(status: 200))
        #expect(try client.response().status == 200)
    }

    @Test("a client that does not read its response times out")
    func slowReceiver() throws {
        let big = Array(repeating: UInt8(ascii: "x"), count: 32 << 20)
        let server = try RunningServer(
            ScriptedHandler { request, _ in HTTPResponse(status: 200, headers: [], body: request.path == "/big" ? big : []) }
        ) {
            $0.requestTimeout = 1
            $0.responseTimeout = 0.2
        }
        let client = try server.servedClient(receiveBuffer: 4096)
        try client.get("/big")
        #expect(try client.head().status == 200)
        // An idle connection that is opened now times out. By then the client that does not read must have timed out too.
        #expect(try server.client().readToEnd() == [])
        #expect(try client.readToEnd().count < big.count)
    }

    @Test("errors of libmicrohttpd are logged, and intended actions are not")
    func log() throws {
        let lines = Mutex<[String]>([])
        let stream = ScriptedStream()
        let server = try RunningServer(ScriptedHandler.streaming(stream)) { $0.log = { line in lines.withLock { $0.append(line) } } }
        let events = try server.client()
        try events.get("/events")
        _ = try events.head()
        #expect(lines.withLock { $0 } == [])
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nnonsense\r\n\r\n")
        _ = try client.readToEnd()
        #expect(lines.withLock { $0.contains { $0.contains("Error processing request") } })
        #expect(lines.withLock { $0.allSatisfy { !$0.hasSuffix("\n") } })
    }
}
