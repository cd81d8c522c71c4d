import Dispatch
import HTTPServer
import PlaybackTesting
import RemoteControl
import Synchronization
import Testing

/// A handler whose responses are given by closures of the test.
final class ScriptedHandler: HTTPHandler {
    typealias Completion = @Sendable (HTTPResponse) -> Void
    let onRequest: @Sendable (HTTPRequest, @escaping Completion) -> HTTPResponse?
    let onAdmission: @Sendable (HTTPRequest, Int) -> HTTPResponse?
    let received: MemoryBudget
    /// Happens when a request is abandoned.
    let abandoned = Occasion()
    let wakeEvents = Mutex<(@Sendable () -> Void)?>(nil)

    init(
        refuse: @escaping @Sendable (HTTPRequest, Int) -> HTTPResponse? = { _, _ in nil },
        received: MemoryBudget = MemoryBudget(total: 16 << 20, share: 4 << 20),
        request: @escaping @Sendable (HTTPRequest, @escaping Completion) -> HTTPResponse?
    ) {
        onAdmission = refuse
        self.received = received
        onRequest = request
    }

    func admit(_ request: HTTPRequest, contentLength: Int) -> HTTPAdmission {
        if let response = onAdmission(request, contentLength) { return .refused(response) }
        return .admitted(ScriptedRequest(request, abandoned: abandoned, onRequest))
    }
    func serverDidStart(wakeEvents: @escaping @Sendable () -> Void) { self.wakeEvents.withLock { $0 = wakeEvents } }

    func wakeAll() { wakeEvents.withLock { $0 }?() }

    /// Returns a handler that answers every request with the status 200, and raises the signal `requests` once for each request.
    static func counting(_ requests: Occasion) -> ScriptedHandler {
        ScriptedHandler { _, _ in
            requests.happen()
            return HTTPResponse(status: 200)
        }
    }

    /// A handler that answers every request with a description of the request.
    static let echo = ScriptedHandler { request, _ in
        var text = "\(request.method)|\(request.path)|\(request.query ?? "-")|"
        for header in request.headers where header.name != "Host" { text += "\(header.name)=\(header.value);" }
        text += "|\(request.body.count)|\(String(decoding: request.body.prefix(64), as: UTF8.self))"
        return HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }
}

/// An admitted request that a closure answers.
struct ScriptedRequest: AdmittedRequest {
    private let request: HTTPRequest
    private let abandoned: Occasion
    private let onRequest: @Sendable (HTTPRequest, @escaping ScriptedHandler.Completion) -> HTTPResponse?

    init(
        _ request: HTTPRequest, abandoned: Occasion = Occasion(),
        _ onRequest: @escaping @Sendable (HTTPRequest, @escaping ScriptedHandler.Completion) -> HTTPResponse?
    ) {
        self.request = request
        self.abandoned = abandoned
        self.onRequest = onRequest
    }

    func abandon() { abandoned.happen() }

    func respond(body: [UInt8], completion: @escaping ScriptedHandler.Completion) -> HTTPResponse? {
        var complete = request
        complete.body = body
        return onRequest(complete, completion)
    }
}

/// A server that listens on a free port and stops at the end of the test.
final class RunningServer {
    let server: MicroHTTPServer

    init(_ handler: any HTTPHandler, configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"))
        configure(&configuration)
        server = try MicroHTTPServer(configuration: configuration, handler: handler)
        try server.start()
    }

    deinit { server.stop() }

    func client(receiveBuffer: Int32? = nil) throws -> TestClient {
        try TestClient(port: server.port, receiveBuffer: receiveBuffer, companion: self)
    }

    /// Returns a client whose first request has been answered, so that its connection may idle for `keepAliveTimeout`. On a busy machine, the first
    /// request may follow so late that the server has closed the connection (`requestTimeout`). Then it is sent again on another connection.
    func servedClient(_ target: String = "/", receiveBuffer: Int32? = nil) throws -> TestClient {
        var attempts = 0
        while true {
            attempts += 1
            let client = try self.client(receiveBuffer: receiveBuffer)
            do {
                try client.get(target)
                let status = try client.response().status
                #expect(status == 200)
                return client
            } catch {
                if attempts == 20 { throw error }
            }
        }
    }
}

/// A signal that another thread raises, and for which a test waits.
final class Occasion: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let happened = Mutex(0)

    var count: Int { happened.withLock { $0 } }

    func happen() {
        happened.withLock { $0 += 1 }
        semaphore.signal()
    }

    /// Waits until the signal is raised once more. Returns false if that takes longer than ten seconds.
    func wait() -> Bool { semaphore.wait(timeout: .now() + 10) == .success }
}

/// The unread data of a stream that a test fills.
struct StreamContent {
    var waiting: [UInt8] = []
    /// Whether the stream ends after the bytes in `waiting`.
    var isOver = false

    /// Moves bytes from `waiting` into a buffer, as `EventStream.read` does. Returns their number; nil at the end of the stream.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = min(buffer.count, waiting.count)
        if count == 0, isOver { return nil }
        buffer.copyBytes(from: waiting.prefix(count))
        waiting.removeFirst(count)
        return count
    }
}

/// An event stream whose bytes a test adds.
final class ScriptedStream: EventStream {
    private struct Content {
        var output = StreamContent()
        var wake: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())
    let opened = Occasion()
    let closed = Occasion()

    func open(wake: @escaping @Sendable () -> Void) {
        content.withLock { $0.wake = wake }
        opened.happen()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? { content.withLock { $0.output.read(into: buffer) } }

    func close() { closed.happen() }

    /// The number of bytes that the server has not read from the stream.
    var waiting: Int { content.withLock { $0.output.waiting.count } }

    func push(_ text: String, wakes: Bool = true) { push(Array(text.utf8), wakes: wakes) }

    func push(_ bytes: [UInt8], wakes: Bool = true) {
        let wake = content.withLock {
            $0.output.waiting += bytes
            return $0.wake
        }
        if wakes { wake?() }
    }

    func end() {
        let wake = content.withLock {
            $0.output.isOver = true
            return $0.wake
        }
        wake?()
    }
}

extension ScriptedHandler {
    /// Returns a handler that answers each request for `/events` with the next of the streams, and every other request with the text "plain".
    static func streaming(_ streams: ScriptedStream...) -> ScriptedHandler {
        let next = Next()
        return ScriptedHandler { request, _ in
            guard request.path == "/events", let stream = next.take(from: streams) else {
                return HTTPResponse(status: 200, headers: [], body: Array("plain".utf8))
            }
            return HTTPResponse(status: 200, headers: [("Content-Type", "text/event-stream")], events: stream)
        }
    }

    private final class Next: Sendable {
        private let position = Mutex(0)

        func take(from streams: [ScriptedStream]) -> ScriptedStream? {
            position.withLock { position in
                guard position < streams.count else { return nil }
                position += 1
                return streams[position - 1]
            }
        }
    }
}

extension TestClient {
    /// Reads a response, and expects the status 503 (no memory for the request) with a time for a retry.
    func expectServerBusy(_ location: SourceLocation = #_sourceLocation) throws {
        let refused = try response()
        #expect(refused.status == 503, sourceLocation: location)
        #expect(refused.header("Retry-After") == "2", sourceLocation: location)
        #expect(refused.text.contains("/problems/server-busy"), sourceLocation: location)
    }
}
