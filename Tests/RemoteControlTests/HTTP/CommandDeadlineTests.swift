import Dispatch
import Platform
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of changes that their client has given up (`Tonearm-Not-After`).
@MainActor @Suite struct CommandDeadlineTests {
    private let rig: TestRig
    private let home: TemporaryDirectory

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.file("a.flac")
        rig = try TestRig {
            $0.media = try PathConfinement(roots: [home.path])
            $0.outputs = FakeDirectory()
        }
    }

    private var now: Double { rig.time.now.seconds }
    private func post(_ path: String, notAfter time: Double, key: String? = nil) async -> Reply {
        let fields = [("Tonearm-Not-After", JSONWriter.text(time))] + (key.map { [("Idempotency-Key", $0)] } ?? [])
        return await rig.send("POST", "/api/v1" + path, headers: fields)
    }

    @Test("a change is carried out until its time on the server's clock, and not later")
    func time() async throws {
        #expect(await post("/player/play", notAfter: now).status == 200)
        let late = await post("/player/play", notAfter: now - 0.001)
        #expect(late.status == 412 && late.problem == "command-expired")
        #expect(rig.player.performed.count == 1)
    }

    @Test("every change has a time")
    func everyChange() async throws {
        let bodies = [
            "addToQueue": #"{"entries":[{"url":"\#(home.path)/a.flac"}]}"#, "putQueue": #"{"entries":[{"url":"\#(home.path)/a.flac"}]}"#,
            "seek": #"{"time":1}"#, "moveEntry": #"{"index":0}"#, "removeEntries": #"{"ids":["e1"]}"#,
            "moveEntries": #"{"ids":["e1"],"position":"end"}"#, "putItem": #"{"url":"\#(home.path)/a.flac"}"#,
            "updatePlayer": #"{"volume":0.5}"#, "setOutput": #"{"id":"auto"}"#, "skip": #"{"seconds":1}"#, "changeVolume": #"{"by":-0.5}"#,
            "setLoop": #"{"start":0,"end":1}"#, "setSleepTimer": #"{"seconds":1}"#, "updateOutput": #"{"volume":0.25}"#,
        ]
        for route in rig.api.routes where route.method != "GET" && !route.isOpen {
            let path = route.template.replacing("{id}", with: "e1").replacing("{output}", with: "pulse:alsa_output.usb-dac")
            let reply = await rig.send(route.method, path, headers: [("Tonearm-Not-After", "1")], json: bodies[route.operationID])
            #expect(reply.problem == "command-expired", "\(route.operationID)")
        }
        #expect(rig.player.performed.isEmpty && rig.player.moves.isEmpty)
    }

    @Test("the time counts when the player receives the command, not when the request has arrived")
    func turn() async throws {
        let request = TestRig.request("POST", "/api/v1/player/play", headers: [("Tonearm-Not-After", JSONWriter.text(now + 1))])
        let route = try #require(rig.api.routes.first { $0.operationID == "play" })
        let routed = RouteRequest(request: request, fields: RequestFields(request), target: try RequestTarget(request), variables: [:])
        guard case .onMainActor(let work) = try route.outcome(routed, once: IdempotencyKeys(clock: rig.time)) else {
            Issue.record("play must be carried out on the main actor")
            return
        }
        rig.time.advance(by: 25)
        await #expect(throws: Problem.self) { try await work() }
        #expect(rig.player.performed.isEmpty)
    }

    /// A clock that notes whether its queue is at work when the clock is read.
    private final class QueueClock: HostClock {
        let queue = FileQueue("deadline", limit: 1)
        private let found = Mutex<[Bool]>([])
        var wasAtWork: [Bool] { found.withLock { $0 } }

        var now: HostTime {
            let answered = DispatchSemaphore(value: 0)
            Task.detached { [self] in
                // The queue refuses work while it has other work.
                let isAtWork = (try? await queue.run { () throws(Problem) -> Bool in false }) ?? true
                found.withLock { $0.append(isAtWork) }
                answered.signal()
            }
            answered.wait()
            return HostTime(seconds: 0)
        }
    }

    @Test("the time counts when the volume of a device is changed, after the work for which the change has waited")
    func deviceVolume() async throws {
        let clock = QueueClock()
        let player = FakeRemotePlayer()
        player.scheduler = rig.time
        let hub = EventHub(
            player: player, epoch: "e0", clock: rig.time, scheduler: rig.time, limits: EventBroadcast.Limits(), runner: rig.runner.run)
        let directory = FakeDirectory()
        let sound = SoundController(player: player, hub: hub, catalog: directory, files: clock.queue, clock: rig.time)
        let request = TestRig.request(
            "PATCH", "/api/v1/outputs/pulse:alsa_output.usb-dac", headers: [("Tonearm-Not-After", "1")], json: #"{"volume":0.25}"#)
        var routed = RouteRequest(
            request: request, fields: RequestFields(request), target: try RequestTarget(request), variables: ["output": "pulse:alsa_output.usb-dac"])
        routed.deadline = try CommandDeadline(routed.fields, clock: clock)
        guard case .elsewhere(let work) = try sound.updateOutput(routed) else {
            Issue.record("the change of a device's volume must not block the main actor")
            return
        }
        _ = try await work()
        #expect(clock.wasAtWork == [true] && directory.volumeChangeCount == 1)
    }

    @Test("the answer of a repeated request that was carried out in time comes at any time")
    func repetition() async throws {
        let time = now + 1
        let first = await post("/player/play", notAfter: time, key: "k")
        rig.time.advance(by: 25)
        let second = await post("/player/play", notAfter: time, key: "k")
        #expect(first.status == 200 && second.status == 200 && second.header("Idempotency-Replayed") == "true")
        #expect(await post("/player/play", notAfter: time, key: "other").problem == "command-expired")
        #expect(rig.player.performed.count == 1)
    }

    @Test("a field that is no time is refused", arguments: ["", "soon", "-1", "nan", "inf", "0x10", "1e10", "8000, 9000"])
    func malformed(text: String) async throws {
        let reply = await rig.send("POST", "/api/v1/player/play", headers: [("Tonearm-Not-After", text)])
        #expect(reply.status == 400 && reply.problem == "malformed-request")
    }

    @Test("two fields are refused")
    func twice() async throws {
        let reply = await rig.send("POST", "/api/v1/player/play", headers: [("Tonearm-Not-After", "9000"), ("Tonearm-Not-After", "9000")])
        #expect(reply.status == 400)
    }

    @Test("a command of a WebSocket has the member notAfter")
    func socket() async throws {
        let socket = try await TestSocket(rig)
        func ask(_ time: String) async -> JSONValue {
            socket.send(text: #"{"id":"t","command":"pause","notAfter":\#(time)}"#)
            return await socket.answer(to: "t")
        }
        #expect(await ask("8000.5")["result"] != nil)
        #expect(await ask("7999.5")["problem"]?["type"]?.text == "/problems/command-expired")
        #expect(await ask("-1")["problem"]?["pointer"]?.text == "/notAfter")
        #expect(rig.player.performed.count == 1)
    }
}
