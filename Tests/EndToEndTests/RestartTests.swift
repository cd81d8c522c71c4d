import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// What a restart must not lose beside the queue: permissions and the player's id.
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
            try eventually("the position is written") { (writtenPosition(in: state) ?? 0) >= 20 ? true : nil }
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
            try waitUntilWritten(in: state, "SELECT count(*) FROM entry", is: "0")
            _ = try third.end(with: SIGKILL)
            let last = try daemon()
            let again = try last.client.send("POST", "/api/v1/queue", json: ["entries": [["url": folder.file("noise.wav")]]])
            #expect(again.json["type"] as? String == "/problems/outside-media-roots")
        }

        @Test("a share that is not mounted at the start is waited for at the entry and position that were heard (R-AWAY-01, R-AWAY-03)")
        func share() throws {
            let share = folder.file("share"), elsewhere = folder.file("elsewhere")
            try FileManager.default.createDirectory(atPath: share, withIntermediateDirectories: true)
            for name in ["noise.wav", "other.wav"] { try FileManager.default.moveItem(atPath: folder.file(name), toPath: share + "/" + name) }
            let first = try daemon("--media-root", share)
            let entries = ["other.wav", "noise.wav", "other.wav"].map { ["url": folder.url("share/" + $0)] }
            try first.client.command("PUT", "/queue", ["entries": entries, "startIndex": 1, "startTime": 20, "play": true])
            try eventually("the position is written") { (writtenPosition(in: state) ?? 0) > 20.5 ? true : nil }
            _ = try first.end(with: SIGKILL)
            try FileManager.default.moveItem(atPath: share, toPath: elsewhere)
            let second = try daemon("--media-root", share, "--resume", "play")
            #expect(second.log.contains("a media root does not exist yet"))
            try eventually("it waits") { try second.client.state()["reasonForWaitingToPlay"] as? String == "mediaUnavailable" ? true : nil }
            let time = try second.client.time()
            #expect((try second.client.state()["queue"] as? [String: Any])?["index"] as? Int == 1 && time > 20)
            try FileManager.default.moveItem(atPath: elsewhere, toPath: share)
            try eventually("it plays on") { try second.client.time() > time + 0.2 ? true : nil }
            #expect((try second.client.state()["queue"] as? [String: Any])?["index"] as? Int == 1)
            #expect(try second.client.time() < time + 30 && second.log.contains("is away"))
        }

        @Test("a file that a client queued under a media root gets no permission of its own")
        func queuedFile() throws {
            let first = try daemon("--media-root", folder.path)
            try first.client.command("PUT", "/queue", ["entries": [["url": folder.url("noise.wav")]], "play": false])
            try waitUntilWritten(in: state, "SELECT count(*) FROM entry", is: "1")
            _ = try first.end(with: SIGKILL)
            let second = try daemon()
            #expect(try eventually("the entry fails") { try error(second) } == "permissionDenied")
        }

        @Test("a request that waits for an item is answered when the program stops, and its change is there after a restart")
        func answeredAtTheStop() async throws {
            let silent = try SilentServer()
            let body = Array(try JSONSerialization.data(withJSONObject: ["url": silent.address]))
            let first = try daemon()
            let request = Task.detached { [port = first.port] in
                try? HTTPClient(port: port).send(
                    "PUT", "/api/v1/player/item?wait=30", headers: ["Content-Type": "application/json"], body: body)
            }
            func item(_ daemon: Daemon) throws -> String? { (try daemon.client.state()["currentItem"] as? [String: Any])?["id"] as? String }
            try eventually("the item is current") { try item(first) }
            _ = try first.end(with: SIGTERM)
            #expect(await request.value?.status == 409)
            #expect(try item(try daemon()) == "e1")
        }

        @Test("the player's id is the same after a kill, and another one in another state directory")
        func identifier() throws {
            func id(_ daemon: Daemon) throws -> String? { try daemon.client.send("GET", "/api/v1").json["id"] as? String }
            let first = try daemon()
            let known = try #require(try id(first))
            try waitUntilWritten(in: state, "SELECT player FROM identity", is: known)
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
