import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of the routes of the outputs and the sleep timer.
@MainActor @Suite struct SoundRouteTests {
    private let rig: TestRig
    private let directory = FakeDirectory()

    init() throws {
        let directory = directory
        rig = try TestRig { $0.outputs = directory }
    }

    private func put(_ id: String) async -> Reply { await rig.send("PUT", "/api/v1/output", json: "{\"id\":\"\(id)\"}") }

    // MARK: Outputs

    @Test("the outputs are listed with the chosen one")
    func list() async throws {
        let json = await rig.send("GET", "/api/v1/outputs").json
        #expect(json?["chosenId"]?.text == "auto")
        #expect(json?["outputs"]?.elements.compactMap { $0["id"]?.text } == ["auto", "pulse:alsa_output.usb-dac", "null"])
    }

    @Test("without an output directory the list is empty and no output can be chosen")
    func noChoice() async throws {
        let rig = try TestRig()
        #expect(await rig.send("GET", "/api/v1/outputs").json?.names == ["outputs"])
        #expect(await rig.send("PUT", "/api/v1/output", json: #"{"id":"auto"}"#).problem == "output-not-found")
    }

    @Test("PUT moves playback and answers after the output is open")
    func move() async throws {
        rig.player.change { $0.output = PlayerState.Output(kind: .null, id: "", name: "") }
        async let reply = put("pulse:alsa_output.usb-dac")
        await rig.until { !rig.player.moves.isEmpty && rig.time.timerCount == 1 }
        #expect(rig.player.moves == [.output(driver: "pulse", device: "dac")])
        rig.player.change { $0.output = PlayerState.Output(kind: .pulse, id: "other", name: "") }
        await rig.until { rig.time.timerCount == 1 }
        rig.player.change { $0.output = PlayerState.Output(kind: .pulse, id: "dac", name: "") }
        let answer = await reply
        #expect(answer.status == 200)
        #expect(answer.json?["chosenId"]?.text == "pulse:alsa_output.usb-dac")
        #expect(rig.time.timerCount == 0)
    }

    @Test("if an output does not open, the former choice is restored")
    func unavailable() async throws {
        rig.player.change { $0.output = PlayerState.Output(kind: .null, id: "", name: "") }
        async let reply = put("pulse:alsa_output.usb-dac")
        await rig.until { rig.time.timerCount == 1 }
        rig.time.advance(by: SoundController.patience)
        let answer = await reply
        #expect(answer.status == 409)
        #expect(answer.problem == "output-unavailable")
        #expect(rig.player.moves == [.output(driver: "pulse", device: "dac"), .automatic])
        #expect(directory.chosenID == "auto")
    }

    @Test("before any output is open, a choice is only stored")
    func early() async throws {
        #expect(await put("pulse:alsa_output.usb-dac").status == 200)
        #expect(directory.chosenID == "pulse:alsa_output.usb-dac")
    }

    @Test("while the output is away, a choice is stored, and stays after the time limit for opening")
    func away() async throws {
        rig.player.change {
            $0.output = PlayerState.Output(kind: .pulse, id: "other", name: "")
            $0.audioSession.silence = .noOutput
        }
        async let reply = put("pulse:alsa_output.usb-dac")
        await rig.until { directory.chosenID != "auto" || rig.time.timerCount == 1 }
        rig.time.advance(by: SoundController.patience)
        let answer = await reply
        #expect(answer.status == 200 && directory.chosenID == "pulse:alsa_output.usb-dac")
        #expect(rig.player.moves == [.output(driver: "pulse", device: "dac")])
    }

    @Test("an output that is not on the list is not found", arguments: ["", "pulse:other", "file:/etc/passwd", "AUTO"])
    func unknown(_ id: String) async throws {
        #expect(await put(id).problem == "output-not-found")
        #expect(rig.player.moves.isEmpty)
    }

    @Test(
        "outputs and the sleep timer have no entity tag, and a change with If-Match is refused",
        arguments: [
            ("PUT", "output", #"{"id":"null"}"#), ("PATCH", "outputs/pulse:alsa_output.usb-dac", #"{"volume":1}"#),
            ("PUT", "sleep-timer", #"{"seconds":1}"#), ("DELETE", "sleep-timer", nil),
        ])
    func precondition(_ method: String, _ path: String, _ body: String?) async throws {
        for match in ["*", "\"outputs:e0:0\""] {
            let refused = await rig.send(method, "/api/v1/" + path, headers: [("If-Match", match)], json: body)
            #expect(refused.status == 412 && refused.problem == "precondition-failed" && refused.header("ETag") == nil)
        }
        #expect(rig.player.performed.isEmpty && rig.player.moves.isEmpty && directory.volumeChangeCount == 0)
        let done = await rig.send(method, "/api/v1/" + path, json: body)
        #expect(done.status < 300 && done.header("ETag") == nil)
    }

    // MARK: Volumes of devices

    private func device(_ reply: Reply) -> JSONValue? { reply.json?["outputs"]?.elements.first { $0["id"]?.text == "pulse:alsa_output.usb-dac" } }

    @Test("an output that is a device has a volume, which can be changed and muted")
    func deviceVolume() async throws {
        let first = device(await rig.send("GET", "/api/v1/outputs"))
        #expect(first?["volume"]?.double == 0.5 && first?["isMuted"]?.bool == false)
        let changed = await rig.send("PATCH", "/api/v1/outputs/pulse:alsa_output.usb-dac", json: #"{"volume":1.25}"#)
        #expect(changed.status == 200 && device(changed)?["volume"]?.double == 1.25)
        let muted = device(await rig.send("PATCH", "/api/v1/outputs/pulse%3Aalsa_output.usb-dac", json: #"{"isMuted":true}"#))
        #expect(muted?["volume"]?.double == 1.25 && muted?["isMuted"]?.bool == true)
    }

    @Test(
        "an output without a volume, an unknown output and a bad volume are refused",
        arguments: [
            ("auto", #"{"volume":1}"#, "output-without-volume"), ("null", #"{"isMuted":true}"#, "output-without-volume"),
            ("pulse:none", #"{"volume":1}"#, "output-not-found"), ("pulse:alsa_output.usb-dac", #"{"volume":1.6}"#, "out-of-range"),
            ("pulse:alsa_output.usb-dac", #"{"volume":-0.1}"#, "out-of-range"),
            ("pulse:alsa_output.usb-dac", "{}", "missing-member"),
            ("pulse:alsa_output.usb-dac", #"{"level":1}"#, "unknown-member"),
        ])
    func badVolume(id: String, body: String, problem: String) async throws {
        #expect(await rig.send("PATCH", "/api/v1/outputs/" + id, json: body).problem == problem)
    }

    @Test("the sample rate of an output is chosen for its device, and without a device for all others (R-LNX-47)")
    func outputRate() async throws {
        #expect(device(await rig.send("GET", "/api/v1/outputs"))?["outputRate"]?.text == "auto")
        let own = await rig.send("PATCH", "/api/v1/outputs/pulse:alsa_output.usb-dac", json: #"{"outputRate":"item"}"#)
        #expect(own.status == 200 && device(own)?["outputRate"]?.text == "item")
        let all = await rig.send("PATCH", "/api/v1/outputs/auto", json: #"{"outputRate":"96000"}"#)
        #expect(device(all)?["outputRate"]?.text == "item")
        #expect(all.json?["outputs"]?.elements.first { $0["id"]?.text == "null" }?["outputRate"]?.text == "96000")
        #expect(
            rig.player.performed.map(\.command)
                == [.setOutputRate(.item, device: "dac"), .setOutputRate(.fixed(96_000), device: nil)])
    }

    @Test("a volume and a rate are changed by one request, or neither (R-LNX-47)")
    func volumeAndRate() async throws {
        let refused = await rig.send("PATCH", "/api/v1/outputs/auto", json: #"{"volume":1,"outputRate":"item"}"#)
        #expect(refused.problem == "output-without-volume" && rig.player.performed.isEmpty)
        let both = await rig.send("PATCH", "/api/v1/outputs/pulse:alsa_output.usb-dac", json: #"{"volume":1,"outputRate":"device"}"#)
        #expect(device(both)?["volume"]?.double == 1 && device(both)?["outputRate"]?.text == "device")
    }

    @Test("another word than those of the rates is refused (R-LNX-47)", arguments: ["Auto", "", "3999", "384001", "44.1", "048000", "best"])
    func badRate(_ word: String) async throws {
        let reply = await rig.send("PATCH", "/api/v1/outputs/auto", json: #"{"outputRate":"\#(word)"}"#)
        #expect(reply.status == 400 && reply.problem == "invalid-value" && reply.pointer == "/outputRate")
    }

    @Test("if the sound server does not change a volume, the request fails")
    func volumeFails() async throws {
        directory.breakVolumes()
        #expect(await rig.send("PATCH", "/api/v1/outputs/pulse:alsa_output.usb-dac", json: #"{"volume":1}"#).problem == "output-unavailable")
    }

    // MARK: The sleep timer

    @Test("a sleep timer can be set, read with its remaining time, and cancelled")
    func timer() async throws {
        #expect(await rig.send("GET", "/api/v1/sleep-timer").json?.names == ["kind"])
        let set = await rig.send("PUT", "/api/v1/sleep-timer", json: #"{"seconds":900}"#)
        #expect(set.json?["kind"]?.text == "time")
        rig.time.advance(by: 100)
        let json = await rig.send("GET", "/api/v1/sleep-timer").json
        #expect(json?["remaining"]?.double == 800)
        #expect(json?["hostTime"]?.double == 8900)
        #expect(await rig.send("GET", "/api/v1/player").json?["sleepTimer"]?["kind"]?.text == "time")
        #expect(await rig.send("DELETE", "/api/v1/sleep-timer").status == 204)
        #expect(await rig.send("GET", "/api/v1/sleep-timer").json?["kind"]?.text == "off")
        #expect(await rig.send("PUT", "/api/v1/sleep-timer", json: #"{"endOfItem":true}"#).json?["kind"]?.text == "endOfItem")
    }

    @Test("a sleep timer that counts items shows the number that remains")
    func itemTimer() async throws {
        let set = await rig.send("PUT", "/api/v1/sleep-timer", json: #"{"items":1000}"#).json
        #expect(set?["kind"]?.text == "items" && set?["remainingItems"]?.double == 1000)
        #expect(await rig.send("GET", "/api/v1/player").json?["sleepTimer"]?["remainingItems"]?.double == 1000)
    }

    @Test(
        "a sleep timer needs exactly one of seconds and endOfItem, in range",
        arguments: [
            "{}", #"{"seconds":1,"endOfItem":true}"#, #"{"endOfItem":false}"#, #"{"seconds":-1}"#, #"{"seconds":86401}"#, #"{"seconds":"1"}"#,
            #"{"items":0}"#, #"{"items":1001}"#, #"{"items":1.5}"#, #"{"items":2,"endOfItem":true}"#,
        ])
    func badTimer(_ body: String) async throws {
        #expect(await rig.send("PUT", "/api/v1/sleep-timer", json: body).status == 400)
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a sleep timer for the end of the item needs a current item")
    func noItem() async throws {
        rig.player.refusal = .noItem
        #expect(await rig.send("PUT", "/api/v1/sleep-timer", json: #"{"endOfItem":true}"#).problem == "no-current-item")
    }

    // MARK: Settings

    @Test("crossfade, loudness and shuffle seed are accepted by PATCH of the player")
    func settings() async throws {
        let body = #"{"crossfadeDuration":4.5,"loudnessNormalization":"album","isShuffled":true,"shuffleSeed":42}"#
        let json = await rig.send("PATCH", "/api/v1/player", json: body).json
        #expect(json?["crossfadeDuration"]?.double == 4.5)
        #expect(json?["loudnessNormalization"]?.text == "album")
        guard case .update(let update)? = rig.player.performed.last?.command else {
            Issue.record("no update")
            return
        }
        #expect(update.shuffleSeed == 42)
    }

    @Test(
        "settings out of range are refused",
        arguments: [
            #"{"crossfadeDuration":12.1}"#, #"{"crossfadeDuration":-1}"#, #"{"loudnessNormalization":"loud"}"#, #"{"shuffleSeed":-1}"#,
            #"{"shuffleSeed":1.5}"#, #"{"shuffleSeed":1e16}"#, #"{"shuffleSeed":1,"isShuffled":false}"#,
        ])
    func badSettings(_ body: String) async throws {
        #expect(await rig.send("PATCH", "/api/v1/player", json: body).status == 400)
        #expect(rig.player.performed.isEmpty)
    }

    @Test("every command of the player supports If-Match", arguments: ["play", "pause", "toggle", "seek"])
    func commands(_ command: String) async throws {
        let body = command == "seek" ? #"{"time":1}"# : "{}"
        #expect(await rig.send("POST", "/api/v1/player/" + command, headers: [("If-Match", "\"player:e0:2\"")], json: body).status == 412)
        #expect(rig.player.performed.isEmpty)
        #expect(await rig.send("POST", "/api/v1/player/" + command, headers: [("If-Match", "\"player:e0:1\"")], json: body).status == 200)
    }
}
