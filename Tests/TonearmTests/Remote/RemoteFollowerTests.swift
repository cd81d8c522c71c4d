import Testing

@testable import tonearm

@Suite("Connecting again to a daemon")
struct RemoteFollowerTests {
    /// The response of a prepared connection.
    private struct Answer {
        var status = 200
        var body = ""
    }

    /// What a follower did, with a server whose connections are prepared.
    private final class Outside {
        private var answers: [Answer?]
        private(set) var requests: [RemoteRequest] = []
        private(set) var printed = ""
        private(set) var warnings: [String] = []
        private(set) var waits: [Double] = []

        /// - Parameter answers: The response of each connection, in order; nil is a server that does not respond. After the last one the server
        ///   refuses with a status that ends the follower.
        init(_ answers: [Answer?]) { self.answers = answers.reversed() }

        /// Runs the follower until it fails, and returns the failure.
        func failure(columns: Int? = nil, isJSON: Bool = false) -> RemoteFailure {
            let follower = RemoteFollower(
                RemoteFollow(isJSON: isJSON, columns: columns),
                RemoteFollower.Surroundings(
                    find: { () throws(RemoteFailure) -> RemoteFollower.Server in
                        let next = self.answers.isEmpty ? Answer(status: 401) : self.answers.removeLast()
                        guard let next else { throw RemoteFailure(.unreachable, "nobody is there") }
                        return RemoteFollower.Server(address: .standard) { (request, receive) throws(RemoteFailure) -> RemoteResponse in
                            self.requests.append(request)
                            guard next.status == 200 else { return RemoteResponse(status: next.status, body: Array(next.body.utf8)) }
                            if !next.body.isEmpty { try receive(Array(next.body.utf8)) }
                            return RemoteResponse(status: 200)
                        }
                    },
                    print: { self.printed += $0 }, warn: { self.warnings.append($0) }, wait: { self.waits.append($0) }))
            do throws(RemoteFailure) { try follower.run() } catch { return error }
        }

        /// The ids with which the requests continue; nil for a request without one.
        var ids: [String?] { requests.map(\.lastEventID) }
    }

    private static func state(_ title: String, id: String) -> Answer {
        Answer(body: "id: \(id)\nevent: state\ndata: \(RemoteFixture.state(title: title))\n\n")
    }

    @Test("a lost connection is replaced by one that begins with the last event, and the user is told once")
    func again() {
        let outside = Outside([Self.state("A", id: "e:7"), nil, nil, Self.state("B", id: "e:8")])
        let failure = outside.failure()
        #expect(failure.kind == .refused)
        #expect(outside.printed == "playing  0:00 / 1:40  A  (seek by web)\nplaying  0:00 / 1:40  B  (seek by web)\n")
        #expect(outside.ids == [nil, "e:7", "e:8"])
        // The second connection was lost too, and told again.
        #expect(outside.warnings == Array(repeating: "the server at 127.0.0.1:7711 ended the stream of events; waiting for the server", count: 2))
        #expect(outside.waits == [0.5, 1, 2, 0.5])
    }

    @Test("the waits double up to 15 seconds, also if a server accepts connections and closes them")
    func waits() {
        let outside = Outside([Self.state("A", id: "e:7"), nil, nil, Answer(), Answer(), nil, nil, nil])
        _ = outside.failure()
        #expect(outside.waits == [0.5, 1, 2, 4, 8, 15, 15, 15])
        #expect(outside.warnings.count == 1)
    }

    @Test("a daemon that does not respond at the start is a failure")
    func start() {
        let outside = Outside([nil])
        #expect(outside.failure() == RemoteFailure(.unreachable, "nobody is there"))
        #expect(outside.waits.isEmpty && outside.warnings.isEmpty)
    }

    @Test("a refusal that passes by itself is waited for, and others end the command", arguments: [429, 502, 503, 504, 400, 401, 403, 404])
    func refusals(status: Int) {
        let refusal = Answer(status: status, body: "{\"detail\":\"No.\"}")
        let outside = Outside([Self.state("A", id: "e:7"), refusal, Self.state("B", id: "e:8")])
        #expect(outside.failure().kind == .refused)
        #expect(outside.printed.contains("  B  ") == [429, 502, 503, 504].contains(status))
    }

    @Test("an event beyond the limit ends the command, because the server would send it again")
    func overflow() {
        let outside = Outside([Answer(body: "data: " + String(repeating: "x", count: RemoteEventParser.maximumSize))])
        #expect(outside.failure().description.contains("larger than"))
        #expect(outside.requests.count == 1)
    }

    @Test("on a terminal the live line ends before the warning, and stands again with the next event")
    func live() {
        let heartbeat = Answer(body: "event: heartbeat\ndata: {}\n\n")
        let outside = Outside([Self.state("A", id: "e:7"), heartbeat])
        _ = outside.failure(columns: 80)
        let line = "\rplaying  0:00 / 1:40  A  (seek by web)\u{1B}[K"
        #expect(outside.printed == line + "\n" + line + "\n")
    }

    @Test("as JSON the stream continues without a repetition")
    func json() {
        let outside = Outside([7, 8].map { Answer(body: "id: e:\($0)\nevent: queue\ndata: {}\n\n") })
        _ = outside.failure(isJSON: true)
        #expect(outside.printed == "{\"event\":\"queue\",\"id\":\"e:7\",\"data\":{}}\n{\"event\":\"queue\",\"id\":\"e:8\",\"data\":{}}\n")
        #expect(outside.ids == [nil, "e:7", "e:8"])
    }

    @Test("an id that is no value of a header field is not sent", arguments: ["a b", "é", "a\u{7F}", "a\rX: y"])
    func hostile(id: String) {
        let outside = Outside([Self.state("A", id: id)])
        _ = outside.failure()
        #expect(outside.ids == [nil, nil])
    }

    // MARK: The daemon

    private func record(_ port: Int, started: Double = 0, token: String? = nil) -> RuntimeRecord {
        RuntimeRecord(process: 1, address: "127.0.0.1:\(port)", tokenFile: token, started: started)
    }

    @Test("a daemon that was found is looked for again, first at its address, and its token is sent to no other program")
    func found() {
        let first = RemoteServer(RemoteOptions(), tokenFile: nil, records: [record(1, token: "/a")])
        let present = first.again(RemoteOptions(), tokenFile: nil, records: [record(2, token: "/b"), record(1, token: "/c")])
        #expect(present?.address == RemoteAddress("127.0.0.1:1") && present?.tokenFile == "/c")
        let moved = first.again(RemoteOptions(), tokenFile: nil, records: [record(2, token: "/b")])
        #expect(moved?.address == RemoteAddress("127.0.0.1:2") && moved?.tokenFile == "/b")
        #expect(first.again(RemoteOptions(), tokenFile: nil, records: []) == nil)
    }

    @Test("an address that an option names stays, and a local daemon there is waited for")
    func named() {
        var options = RemoteOptions()
        options.address = RemoteAddress("127.0.0.1:1")
        let local = RemoteServer(options, tokenFile: nil, records: [record(1, token: "/a")])
        #expect(local.again(options, tokenFile: nil, records: [record(2, token: "/b")]) == nil)
        #expect(local.again(options, tokenFile: nil, records: [record(2), record(1, token: "/c")])?.tokenFile == "/c")
        let other = RemoteServer(options, tokenFile: "/given", records: [record(2)])
        #expect(other.again(options, tokenFile: "/given", records: [])?.address == options.address)
        #expect(other.again(options, tokenFile: "/given", records: [])?.tokenFile == "/given")
    }
}
