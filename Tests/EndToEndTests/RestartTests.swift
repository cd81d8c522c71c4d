import Foundation
import Testing

extension EndToEndTests {
    /// What a restart must not lose beside the queue: permissions, answers and the player's id. Each program is killed.
    @Suite("What survives a kill beside the queue", .serialized)
    struct RestartTests {
        private let folder: MediaFolder
        private var state: String { folder.file("state") }

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 60, seed: 81).frames)
            try folder.wav("other.wav", Noise(seconds: 1, seed: 82).frames)
        }

        private func daemon(_ arguments: String...) throws -> Daemon {
            try Daemon(serving: ["--output", "null", "--state-dir", state] + arguments)
        }

        private func error(_ daemon: Daemon) throws -> String? {
            ((try daemon.client.state()["currentItem"] as? [String: Any])?["error"] as? [String: Any])?["code"] as? String
        }

        @Test("a file of the command line plays on at its position after a restart without the argument; other files stay forbidden")
        func namedFile() throws {
            let first = try daemon(folder.file("noise.wav"))
            try eventually("it plays") { try first.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            try first.client.command("POST", "/player/seek", ["time": 20])
            let heard = try first.client.time()
            _ = try first.end(with: SIGKILL)
            for _ in 0..<2 {
                let next = try daemon("--resume", "play")
                try eventually("it plays on") { try next.client.time() > heard + 0.2 ? true : nil }
                #expect(try error(next) == nil)
                #expect(try next.client.time() < heard + 30)
                let other = try next.client.send("POST", "/api/v1/queue", json: ["entries": [["url": folder.file("other.wav")]]])
                #expect(other.json["type"] as? String == "/problems/outside-media-roots")
                // A remote may request the file again, as in the first run.
                #expect(try next.client.send("GET", "/api/v1/assets?url=" + folder.url("noise.wav")).status == 200)
                _ = try next.end(with: SIGKILL)
            }
            let third = try daemon()
            #expect(try third.client.send("DELETE", "/api/v1/queue").status < 300)
            _ = try third.end(with: SIGKILL)
            let last = try daemon()
            let again = try last.client.send("POST", "/api/v1/queue", json: ["entries": [["url": folder.file("noise.wav")]]])
            #expect(again.json["type"] as? String == "/problems/outside-media-roots")
        }

        @Test("a file that a client queued under a media root gets no permission of its own")
        func queuedFile() throws {
            let first = try daemon("--media-root", folder.path)
            try first.client.command("PUT", "/queue", ["entries": [["url": folder.url("noise.wav")]], "play": false])
            _ = try first.end(with: SIGKILL)
            let second = try daemon()
            #expect(try eventually("the entry fails") { try error(second) } == "permissionDenied")
        }

        private func post(_ daemon: Daemon, _ path: String, key: String, _ json: [String: Any] = [:]) throws -> HTTPAnswer {
            try daemon.client.send(
                "POST", "/api/v1" + path, headers: ["Content-Type": "application/json", "Idempotency-Key": key],
                body: Array(JSONSerialization.data(withJSONObject: json)))
        }

        private func count(_ daemon: Daemon) throws -> Int? { (try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [Any])?.count }

        @Test("a request that is repeated after a kill gets the same answer, and is not carried out twice")
        func repeatedRequest() throws {
            let first = try daemon("--media-root", folder.path)
            let body = ["entries": [["url": folder.url("noise.wav")], ["url": folder.url("other.wav")]]]
            let added = try post(first, "/queue", key: "add", body)
            let stepped = try post(first, "/queue/next", key: "next")
            _ = try first.end(with: SIGKILL)
            for _ in 0..<2 {
                let next = try daemon("--media-root", folder.path)
                let again = try post(next, "/queue", key: "add", body)
                #expect(again.status == added.status && again.body == added.body && again.headers["etag"] == added.headers["etag"])
                #expect(again.headers["idempotency-replayed"] == "true" && added.headers["idempotency-replayed"] == nil)
                let step = try post(next, "/queue/next", key: "next")
                #expect(step.status == stepped.status && step.body == stepped.body)
                #expect(try count(next) == 2)
                #expect(try post(next, "/queue", key: "next", body).status == 422)
                _ = try next.end(with: SIGKILL)
            }
        }

        @Test("of requests that a kill interrupts, each is carried out once, however often it is repeated")
        func interruptedRequests() throws {
            var total = 0
            var present = try daemon("--media-root", folder.path)
            for round in 0..<8 {
                let killed = present
                let identifier = killed.process.processIdentifier
                // The kill falls into one of the requests.
                Thread.detachNewThread {
                    usleep(useconds_t(15_000 + 4_000 * round))
                    kill(identifier, SIGKILL)
                }
                var number = 0
                while (try? post(killed, "/queue", key: "\(round)-\(number)", ["entries": [["url": folder.url("other.wav")]]]))?.status == 201 {
                    number += 1
                }
                try killed.waitForEnd()
                present = try daemon("--media-root", folder.path)
                // The last request has no answer. It is repeated until there is one, like all before it.
                for each in 0...number {
                    let answer = try post(present, "/queue", key: "\(round)-\(each)", ["entries": [["url": folder.url("other.wav")]]])
                    #expect(answer.status == 201 || (each == number && answer.json["type"] as? String == "/problems/request-interrupted"))
                    #expect(each == number || answer.headers["idempotency-replayed"] == "true")
                }
                total += number + 1
                #expect(try count(present) == total)
            }
        }

        /// Ends the program while a request waits for an item that never loads, and repeats the request.
        /// - Returns: The answer of the first program, if it sent one, and that of the second one.
        private func repeated(after signal: Int32) async throws -> (first: HTTPAnswer?, second: HTTPAnswer) {
            let silent = try SilentServer()
            let body = Array(try JSONSerialization.data(withJSONObject: ["url": silent.address]))
            @Sendable func put(_ port: UInt16) throws -> HTTPAnswer {
                let headers = ["Content-Type": "application/json", "Idempotency-Key": "item"]
                return try HTTPClient(port: port).send("PUT", "/api/v1/player/item?wait=30", headers: headers, body: body)
            }
            let first = try daemon()
            let request = Task.detached { [port = first.port] in try? put(port) }
            try eventually("the item is current") { (try first.client.state()["currentItem"] as? [String: Any])?["id"] as? String }
            // A change is answered after all before it is kept.
            try first.client.command("PATCH", "/player", ["volume": 0.5])
            _ = try first.end(with: signal)
            let second = try daemon()
            let answer = try put(second.port)
            #expect((try second.client.state()["currentItem"] as? [String: Any])?["id"] as? String == "e1")
            return (await request.value, answer)
        }

        @Test("a request that a kill interrupts while it waits is not carried out again, and its change is there")
        func waitingRequest() async throws {
            let (first, second) = try await repeated(after: SIGKILL)
            #expect(first == nil && second.json["type"] as? String == "/problems/request-interrupted")
        }

        @Test("a request that waits is answered when the program stops, and gets the same answer from the next program")
        func answeredAtTheStop() async throws {
            let (first, second) = try await repeated(after: SIGTERM)
            #expect(first?.status == 409 && first?.body == second.body)
            #expect(second.headers["idempotency-replayed"] == "true")
        }

        @Test("the player's id is the same after a kill, and another one in another state directory")
        func identifier() throws {
            func id(_ daemon: Daemon) throws -> String? { try daemon.client.send("GET", "/api/v1").json["id"] as? String }
            let first = try daemon()
            let known = try #require(try id(first))
            // A change is answered after all before it is kept.
            try first.client.command("PATCH", "/player", ["volume": 0.5])
            _ = try first.end(with: SIGKILL)
            #expect(try id(try daemon()) == known)
            #expect(try id(try Daemon(serving: ["--output", "null", "--state-dir", folder.file("other")])) != known)
        }
    }
}

/// A server that accepts connections and never answers.
private final class SilentServer {
    private let descriptor: Int32
    /// The URL of a medium of the server.
    let address: String

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + listen(descriptor, 16) + getsockname(descriptor, $0, &length)
            }
        }
        guard code == 0 else { throw Daemon.Failure(description: "no socket: \(String(cString: strerror(errno)))") }
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))/a.flac"
    }

    deinit { close(descriptor) }
}
