import Foundation
import Platform
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The state that survives a restart", .serialized)
    struct SurvivalTests {
        private let folder: MediaFolder
        private var state: String { folder.file("state") }

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 15, seed: 80).frames)
        }

        private func daemon(_ arguments: String..., fileSize: Int? = nil) throws -> Daemon {
            let all = ["--output", "null", "--media-root", folder.path, "--state-dir", state] + arguments
            return try Daemon(serving: all, fileSize: fileSize)
        }

        private func entries(_ count: Int) -> [[String: String]] { Array(repeating: ["url": folder.url("noise.wav")], count: count) }

        private func kept(_ daemon: Daemon) throws -> Bool? { (try daemon.client.state()["persistence"] as? [String: Any])?["isKept"] as? Bool }

        private func ids(_ daemon: Daemon) throws -> [String] {
            (try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
        }

        @Test("three or thoroughly 200 kills at random moments under edits and playback, with 10,000 entries (script/survival)")
        func kills() throws {
            let script = URL(filePath: #filePath).appending(path: "../../../script/survival").standardizedFileURL.path
            let count = TestDepth.isThorough ? 200 : 3
            // The limit of the start-up time (`--ready`) is raised to 60 s, because it holds only for the release build on an idle machine.
            let told = try run(
                "python3", [script, "--kills", "\(count)", "--seed", "3", "--ready", "60000", "--binary", try Daemon.binary.path])
            #expect(told.contains("survival: \(count) kills"), "\(told)")
        }

        @Test("after SIGTERM the same queue stands paused at the position that was heard, with the same settings")
        func stopped() throws {
            let first = try daemon()
            try first.client.command("PUT", "/queue", ["entries": entries(3), "play": true])
            try first.client.command("POST", "/queue/next")
            try first.client.command("PATCH", "/player", ["volume": 0.25, "repeatMode": "all", "isShuffled": true, "shuffleSeed": 5])
            try first.client.command("POST", "/player/seek", ["time": 5])
            try first.client.command("PUT", "/output", ["id": "null"])
            let before = try ids(first)
            let (clock, heard) = (MonotonicClock().now, try first.client.time())
            _ = try first.end(with: SIGTERM)
            let latest = heard + (MonotonicClock().now - clock)
            let second = try daemon()
            let state = try second.client.state()
            #expect(try ids(second) == before)
            #expect((state["currentItem"] as? [String: Any])?["id"] as? String == before[1])
            #expect(state["rate"] as? Double == 0 && state["timeControlStatus"] as? String == "paused")
            #expect(state["volume"] as? Double == 0.25 && state["repeatMode"] as? String == "all" && state["isShuffled"] as? Bool == true)
            #expect(try second.client.send("GET", "/api/v1/outputs").json["chosenId"] as? String == "null")
            let position = try second.client.time()
            #expect(position >= heard && position <= latest)
            #expect(try kept(second) == true)
        }

        @Test("with --resume play it goes on playing after a kill, and options and media of the command line replace what was kept")
        func overriding() throws {
            let first = try daemon()
            try first.client.command("PUT", "/queue", ["entries": entries(3), "play": true])
            try first.client.command("PATCH", "/player", ["crossfadeDuration": 4, "loudnessNormalization": "album"])
            try waitUntilWritten(in: state, "SELECT count(*), rate FROM setting, playhead WHERE value = 'album'", is: "1 1.0")
            _ = try first.end(with: SIGKILL)
            let second = try daemon("--resume", "play", "--crossfade", "2")
            try eventually("it plays") { try second.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            #expect(try second.client.state()["crossfadeDuration"] as? Double == 2)
            #expect(try second.client.state()["loudnessNormalization"] as? String == "album")
            _ = try second.end(with: SIGKILL)
            let third = try daemon("--crossfade", "0", folder.file("noise.wav"))
            try eventually("the medium is loaded") { try ids(third) == ["e4"] ? true : nil }
        }

        @Test("the events of the earlier run are not replayed: a client with their ids gets one state with resync")
        func resync() throws {
            let first = try daemon()
            try first.client.command("PUT", "/queue", ["entries": entries(2), "play": true])
            let client = LossyClient(port: first.port, isWebSocket: false, query: "tick=0.1")
            try client.connect()
            try eventually("an event has an id") { try client.read(until: { events in events.contains { $0.id != nil } }) }
            let epoch = client.events.last { $0.id != nil }?.epoch
            try waitUntilWritten(in: state, "SELECT count(*) FROM entry", is: "2")
            _ = try first.end(with: SIGKILL)
            let arguments = ["--output", "null", "--media-root", folder.path, "--state-dir", state]
            let second = try Daemon(serving: arguments, port: first.port)
            try client.connect()
            #expect(try eventually("it resyncs") { try client.firstEvent(after: epoch) }.isSnapshot)
            #expect(try ids(second) == ["e1", "e2"])
        }

        @Test("files that the new media roots do not contain are not opened")
        func otherRoots() throws {
            let first = try daemon()
            try first.client.command("PUT", "/queue", ["entries": entries(1), "play": false])
            _ = try first.end(with: SIGTERM)
            let second = try Daemon(serving: ["--output", "null", "--state-dir", state])
            let failed = try eventually("the entry fails") { () -> [String: Any]? in
                (try second.client.state()["currentItem"] as? [String: Any])?["error"] as? [String: Any]
            }
            #expect(failed["code"] as? String == "permissionDenied")
        }

        @Test("a second program on the same directory runs without state, and says so; the first one keeps it")
        func twoPrograms() throws {
            let first = try daemon()
            let second = try daemon()
            #expect(try kept(second) == false)
            let error = (try second.client.state()["persistence"] as? [String: Any])?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "inUse")
            #expect(second.log.contains("the state is not kept"))
            #expect(try kept(first) == true)
        }

        @Test("if the state cannot be written, playback goes on, the state and one log line say so, and both say when it is kept again")
        func fullDisk() throws {
            let daemon = try daemon(fileSize: 256)
            try daemon.client.command("PUT", "/queue", ["entries": entries(2), "play": true])
            #expect(try kept(daemon) == true)
            try daemon.client.command("PUT", "/queue", ["entries": entries(10_000), "play": true])
            try eventually("the state says so") { try kept(daemon) == false ? true : nil }
            let before = try daemon.client.time()
            try eventually("playback goes on") { try daemon.client.time() > before + 2 ? true : nil }
            #expect(daemon.log.components(separatedBy: "the state is not kept").count == 2, "\(daemon.log)")
            #expect(try daemon.client.send("DELETE", "/api/v1/queue").status < 300)
            try eventually("it is kept again") { try kept(daemon) == true ? true : nil }
            #expect(daemon.log.contains("the state is kept again"))
            _ = try daemon.end(with: SIGKILL)
            #expect(try ids(try self.daemon()).isEmpty)
        }

        @Test("a damaged database is set aside with one line, and the program starts with an empty queue")
        func damaged() throws {
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            try Data(repeating: 0x5A, count: 20_000).write(to: URL(filePath: state + "/state.db"))
            let daemon = try daemon()
            #expect(try kept(daemon) == true)
            #expect(daemon.log.contains("was set aside"))
            #expect(FileManager.default.fileExists(atPath: state + "/state.damaged-1.db"))
            #expect(try daemon.client.state()["volume"] as? Double == 0.3)
        }

        @Test("with --no-state no state is written, and the state says so")
        func noState() throws {
            let daemon = try Daemon(serving: ["--output", "null", "--no-state"], environment: ["XDG_STATE_HOME": state])
            #expect(try kept(daemon) == false)
            let written = try? FileManager.default.subpathsOfDirectory(atPath: state)
            #expect(written?.contains { $0.hasSuffix("state.db") } != true)
        }
    }
}
