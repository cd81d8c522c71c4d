import Platform
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// The API with a fake player and a clock that the test advances, without sockets. Every response that `send` returns is validated against
/// openapi.yaml.
@MainActor final class TestRig {
    let player = FakeRemotePlayer()
    let time = ManualTime()
    let runner = ManualRunner()
    /// The runner of the computation of waveforms, which the test can hold.
    let waveformRunner = ManualRunner()
    let api: RemoteAPI

    init(limits: EventBroadcast.Limits = EventBroadcast.Limits(), configure: (inout RemoteAPI.Configuration) throws -> Void = { _ in }) throws {
        var configuration = RemoteAPI.Configuration(media: try PathConfinement())
        configuration.epoch = "e0"
        configuration.description = APIDescription(yaml: Contract.text, json: Array("{}".utf8))
        configuration.wallClock = StoppedWallClock(secondsSince1970: 1_769_860_800.25)
        try configure(&configuration)
        player.scheduler = time
        api = RemoteAPI(
            player: player, configuration: configuration, clock: time, scheduler: time, limits: limits, runner: runner.run,
            waveformRunner: waveformRunner.run)
    }

    var broadcast: EventBroadcast { api.broadcast }

    /// Sends a request with the header fields of curl; fields of `headers` replace them. Validates the response against the contract, and returns it.
    func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], json: String? = nil, peer: HTTPPeer = .loopback,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Reply {
        let request = Self.request(method, target, headers: headers, json: json, peer: peer)
        let reply = Reply(await respond(to: request))
        Contract.shared.check(reply, method: method, path: request.path, sourceLocation: sourceLocation)
        return reply
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        await withCheckedContinuation { continuation in
            if let response = api.respond(to: request, completion: { continuation.resume(returning: $0) }) {
                continuation.resume(returning: response)
            }
        }
    }

    /// Sends a request whose answer nobody receives, and which the test can abandon.
    func begin(_ method: String, _ target: String) throws -> any AdmittedRequest {
        guard case .admitted(let admitted) = api.admit(Self.request(method, target), contentLength: 0) else {
            Issue.record("the request is refused")
            throw NoStream()
        }
        if admitted.respond(body: [], completion: { _ in }) != nil { Issue.record("the answer does not wait") }
        return admitted
    }

    static func request(_ method: String, _ target: String, headers: [(String, String)] = [], json: String? = nil, peer: HTTPPeer = .loopback)
        -> HTTPRequest
    {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var fields: [(name: String, value: String)] = headers.map { (name: $0.0, value: $0.1) }
        if !headers.contains(where: { $0.0.lowercased() == "host" }) { fields.append(("Host", "127.0.0.1:7711")) }
        if json != nil, !headers.contains(where: { $0.0.lowercased() == "content-type" }) { fields.append(("Content-Type", "application/json")) }
        return HTTPRequest(
            method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil, headers: fields, body: Array((json ?? "").utf8),
            peer: peer)
    }

    /// Opens an event stream with a query, such as `tick=1`.
    func events(_ query: String = "", headers: [(String, String)] = []) async throws -> TestStream {
        let response = await respond(to: Self.request("GET", "/api/v1/events" + query, headers: headers))
        guard case .events(let stream) = response.body else {
            Issue.record("no stream but status \(response.status)")
            throw NoStream()
        }
        let client = TestStream(stream)
        time.run()
        return client
    }
    struct NoStream: Error {}

    func setVolume(_ value: Double) { player.change { $0.volume = value } }

    /// Calls the time observers with this interval, in seconds, and then ends the turn of the player.
    func tick(_ interval: Double, _ playerTime: PlayerTime) {
        player.tick(interval, playerTime)
        time.run()
    }

    /// Lets other tasks run until `condition` returns true. After a minute the test fails.
    func until(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
        let clock = MonotonicClock(), end = clock.now + 60
        while !condition() {
            guard clock.now < end else {
                Issue.record("the condition was not met within a minute", sourceLocation: sourceLocation)
                return
            }
            await Task.yield()
        }
    }
}

extension RemoteAPI {
    /// Returns the refusal of a request by its head; nil if the request is admitted.
    func precheck(_ request: HTTPRequest, contentLength: Int) -> HTTPResponse? {
        guard case .refused(let response) = admit(request, contentLength: contentLength) else { return nil }
        return response
    }
}

/// A response, with properties for its parts.
struct Reply {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    init(_ response: HTTPResponse) {
        status = response.status
        headers = response.headers
        if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
    }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue? { try? JSONParser.parse(body) }
    /// The code of the problem document, such as "server-busy"; nil if the response has none.
    var problem: String? { json?["type"]?.text.map { String($0.dropFirst("/problems/".count)) } }
    var pointer: String? { json?["pointer"]?.text }
}

extension JSONValue {
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
    subscript(_ index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var double: Double? { if case .number(let number) = self { number.double } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var names: [String] { if case .object(let members) = self { members.map(\.name) } else { [] } }
}

/// A runner of background work. It runs work at once or, while the test holds it, after the test has released it.
final class ManualRunner: Sendable {
    private let state = Mutex((isHeld: false, work: [@Sendable () -> Void]()))

    func run(_ work: @escaping @Sendable () -> Void) {
        let isHeld = state.withLock { state in
            if state.isHeld { state.work.append(work) }
            return state.isHeld
        }
        if !isHeld { work() }
    }

    func hold() { state.withLock { $0.isHeld = true } }
    var heldCount: Int { state.withLock { $0.work.count } }
    func release() {
        let work = state.withLock { state in
            defer { state = (false, []) }
            return state.work
        }
        for work in work { work() }
    }
}

/// A wall clock whose time never changes.
struct StoppedWallClock: WallClock {
    let secondsSince1970: Double
}

extension HTTPHandler {
    /// Answers a complete request, after the checks of its head and its body.
    func respond(to request: HTTPRequest, completion: @escaping @Sendable (HTTPResponse) -> Void) -> HTTPResponse? {
        switch admit(request, contentLength: request.body.count) {
        case .admitted(let admitted): admitted.respond(body: request.body, completion: completion)
        case .refused(let response): response
        }
    }
}
