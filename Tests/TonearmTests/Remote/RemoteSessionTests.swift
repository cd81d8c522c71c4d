import Testing

@testable import tonearm

@Suite("The operations of the terminal's remote")
struct RemoteSessionTests {
    /// A fake server, which answers `GET` requests with prepared documents, and records all other requests.
    private final class Server {
        var changes: [RemoteRequest] = []
        /// The statuses of the responses to the next requests that change something. The last element is used first; without elements the status is
        /// 200.
        var statuses: [Int] = []
        var documents = [
            "/api/v1/player": RemoteFixture.state(), "/api/v1/player/time": "{\"currentTime\":3}", "/api/v1/queue": RemoteFixture.queue,
            "/api/v1/outputs": RemoteFixture.outputs,
            "/api/v1/queue?offset=1&limit=1": RemoteFixture.page(["e2"], count: 3),
            "/api/v1/queue?offset=2&limit=1": RemoteFixture.page(["e/3"], count: 3),
            "/api/v1/queue?offset=3&limit=1": RemoteFixture.page([], count: 3),
        ]

        func respond(_ request: RemoteRequest) throws(RemoteFailure) -> RemoteResponse {
            guard request.method == "GET" else {
                changes.append(request)
                let body = request.target == "/api/v1/output" ? RemoteFixture.outputs : RemoteFixture.state()
                return RemoteResponse(status: statuses.popLast() ?? 200, body: Array(body.utf8))
            }
            return RemoteResponse(status: 200, entityTag: "\"tag\"", body: Array((documents[request.target] ?? "{}").utf8))
        }
    }

    private func session(_ server: Server, isJSON: Bool = false, addsNext: Bool = false) -> RemoteSession {
        RemoteSession(address: .standard, directory: "/music", isJSON: isJSON, addsNext: addsNext) {
            (request) throws(RemoteFailure) -> RemoteResponse in
            try server.respond(request)
        }
    }
    /// Performs an operation of the remote, and returns the requests that change something, each as a line of text.
    private func changes(_ operation: RemoteOperation, addsNext: Bool = false, state: String? = nil) throws -> [String] {
        let server = Server()
        if let state { server.documents["/api/v1/player"] = state }
        _ = try session(server, addsNext: addsNext).perform(operation)
        return server.changes.map { "\($0.method) \($0.target) \($0.body ?? "")\($0.match.map { " if \($0)" } ?? "")" }
    }

    @Test("each operation is the request of the contract")
    func requests() throws {
        #expect(try changes(.status) == [])
        #expect(try changes(.transport(.next)) == ["POST /api/v1/queue/next {}"])
        #expect(try changes(.seek(.offset(-10))) == ["POST /api/v1/player/seek {\"offset\":-10}"])
        #expect(try changes(.seek(.fraction(0.5))) == ["POST /api/v1/player/seek {\"fraction\":0.5}"])
        #expect(try changes(.volume(.absolute(40))) == ["PATCH /api/v1/player {\"volume\":0.4}"])
        #expect(try changes(.shuffle(true)) == ["PATCH /api/v1/player {\"isShuffled\":true}"])
        #expect(try changes(.sleepTimer(.after(seconds: 60))) == ["PUT /api/v1/sleep-timer {\"seconds\":60}"])
        #expect(try changes(.sleepTimer(.off)) == ["DELETE /api/v1/sleep-timer "])
        #expect(try changes(.clear) == ["DELETE /api/v1/queue "])
    }

    @Test("relative paths are below the present folder, and URLs stay")
    func media() throws {
        let member = "entries"
        #expect(
            try changes(.add(["a b.flac", "/x", "http://h/y"]))
                == ["POST /api/v1/queue {\"\(member)\":[{\"url\":\"/music/a b.flac\"},{\"url\":\"/x\"},{\"url\":\"http://h/y\"}]}"])
        #expect(try changes(.add(["/x"]), addsNext: true) == ["POST /api/v1/queue {\"\(member)\":[{\"url\":\"/x\"}],\"position\":\"next\"}"])
        #expect(try changes(.playMedia(["/x"])) == ["PUT /api/v1/queue {\"\(member)\":[{\"url\":\"/x\"}],\"play\":true,\"startIndex\":0}"])
    }

    @Test("numbers stand for the entries at the time of the request, also if several are removed")
    func numbers() throws {
        #expect(try changes(.jump(3)) == ["POST /api/v1/queue/e%2F3/play {}"])
        #expect(try changes(.remove([3, 1, 3])) == ["DELETE /api/v1/queue/e1 ", "DELETE /api/v1/queue/e%2F3 "])
        #expect(try changes(.move(from: 2, to: 1)) == ["POST /api/v1/queue/e2/move {\"index\":0} if \"tag\""])
        let failure = #expect(throws: RemoteFailure.self) { try changes(.jump(4)) }
        #expect(failure?.description == "there is no entry 4: the queue has 3 entries")
        let removal = #expect(throws: RemoteFailure.self) { try changes(.remove([4])) }
        #expect(removal?.description == "there is no entry 4: the queue has 3 entries")
    }

    @Test("an entry beyond the longest page is found, and the queue is shown and edited as a whole")
    func pages() throws {
        let server = Server()
        server.documents["/api/v1/queue?offset=10999&limit=1"] = RemoteFixture.page(["e11000"], count: 12_000)
        _ = try session(server).perform(.jump(11_000))
        server.documents["/api/v1/queue"] = RemoteFixture.page(["e1", "e2"], count: 5)
        server.documents["/api/v1/queue?offset=2"] = RemoteFixture.page(["e3", "e4"], count: 5)
        server.documents["/api/v1/queue?offset=4"] = RemoteFixture.page(["e5"], count: 5)
        _ = try session(server).perform(.remove([5]))
        #expect(server.changes.map(\.target) == ["/api/v1/queue/e11000/play", "/api/v1/queue/e5"])
        guard case .queue(let queue) = try session(server).perform(.queue) else { throw RemoteFailure(.refused, "no queue") }
        #expect(queue.entries.map(\.id) == ["e1", "e2", "e3", "e4", "e5"])
    }

    @Test("pages of different revisions are not put together")
    func changingQueue() throws {
        let server = Server()
        server.documents["/api/v1/queue"] = RemoteFixture.page(["e1", "e2"], count: 3, revision: 1)
        server.documents["/api/v1/queue?offset=2"] = RemoteFixture.page(["e3"], count: 3, revision: 2)
        let failure = #expect(throws: RemoteFailure.self) { try session(server).perform(.remove([3])) }
        #expect(failure?.description == "other clients change the queue all the time; try again" && server.changes.isEmpty)
    }

    @Test("a relative change is bound to the state that it was computed from, and computed again if that has changed")
    func relative() throws {
        #expect(try changes(.volume(.relative(5))) == ["PATCH /api/v1/player {\"volume\":0.55} if \"tag\""])
        #expect(try changes(.volume(.relative(-60))) == ["PATCH /api/v1/player {\"volume\":0} if \"tag\""])
        #expect(try changes(.mute(nil)) == ["PATCH /api/v1/player {\"isMuted\":true} if \"tag\""])
        let server = Server()
        server.statuses = [200, 412, 412]
        _ = try session(server).perform(.mute(nil))
        #expect(server.changes.count == 3)
    }

    @Test("a rate changes the speed of a running player, and the default rate of a paused one")
    func rate() throws {
        #expect(try changes(.rate(1.5)) == ["PATCH /api/v1/player {\"rate\":1.5} if \"tag\""])
        let paused = RemoteFixture.state(status: "paused", rate: 0)
        #expect(try changes(.rate(1.5), state: paused) == ["PATCH /api/v1/player {\"defaultRate\":1.5} if \"tag\""])
    }

    @Test("an output is chosen by its id, or by its name in any case")
    func output() throws {
        #expect(try changes(.output("pulse:x")) == ["PUT /api/v1/output {\"id\":\"pulse:x\"}"])
        #expect(try changes(.output("speakers")) == ["PUT /api/v1/output {\"id\":\"pulse:x\"}"])
        #expect(throws: RemoteFailure.self) { try changes(.output("headphones")) }
    }

    @Test("as JSON the document of the server is printed unchanged, after one request")
    func json() throws {
        let server = Server()
        guard case .document(let bytes) = try session(server, isJSON: true).perform(.transport(.pause)) else {
            throw RemoteFailure(.refused, "no document")
        }
        #expect(bytes == Array(RemoteFixture.state().utf8))
    }

    @Test("a refusal is a failure with the server's sentence, and an unknown document too")
    func failures() {
        let server = Server()
        server.statuses = [409]
        #expect(throws: RemoteFailure.self) { try session(server).perform(.transport(.next)) }
        server.documents["/api/v1/player"] = "[]"
        #expect(throws: RemoteFailure.self) { try session(server).perform(.status) }
    }
}
