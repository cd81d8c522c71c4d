import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of fades, of relative changes of the volume, of skips, and of the members of the state that show them.
@MainActor @Suite struct TransportRouteTests {
    private let rig: TestRig
    private var performed: [PlayerCommand] { rig.player.performed.map(\.command) }
    init() throws { rig = try TestRig() }

    private nonisolated static func update(volume: Double, fade: Double) -> PlayerCommand {
        var update = PlayerUpdate()
        (update.volume, update.volumeFade) = (volume, fade)
        return .update(update)
    }

    @Test(
        "each request gives its command",
        arguments: [
            ("POST", "/play", #"{"hostTime":8002.5,"rate":1.5}"#, PlayerCommand.play(rate: 1.5, at: .hostTime(8002.5))),
            ("POST", "/play", #"{"date":"1970-01-01T01:00:01+01:00","fade":3}"#, .play(rate: nil, fade: 3, at: .date(1))),
            ("POST", "/play", #"{"fade":20}"#, .play(rate: nil, fade: 20)), ("POST", "/pause", #"{"fade":5}"#, .fadeToPause(seconds: 5)),
            ("POST", "/pause", #"{"fade":0}"#, .pause), ("POST", "/pause", "{}", .pause),
            ("POST", "/volume", #"{"by":-0.1}"#, .changeVolume(by: -0.1)),
            ("POST", "/volume", #"{"by":1,"fade":2}"#, .changeVolume(by: 1, fade: 2)),
            ("PATCH", "", #"{"volume":0.2,"fade":30}"#, update(volume: 0.2, fade: 30)),
            ("PUT", "/loop", #"{"start":42.5,"end":58.25}"#, .setLoop(start: 42.5, end: 58.25)), ("DELETE", "/loop", nil, .clearLoop),
            ("POST", "/skip", #"{"seconds":-30}"#, .seek(SeekCommand(target: .skip(-30)))),
        ] as [(String, String, String?, PlayerCommand)])
    func commands(_ method: String, _ path: String, _ json: String?, _ command: PlayerCommand) async throws {
        #expect(await rig.send(method, "/api/v1/player" + path, json: json).status == 200)
        #expect(performed == [command])
    }

    @Test(
        "an invalid request is refused before it reaches the player",
        arguments: [
            ("POST", "/play", #"{"fade":-1}"#, "out-of-range", "/fade"), ("POST", "/pause", #"{"fade":3601}"#, "out-of-range", "/fade"),
            ("POST", "/pause", #"{"fade":"slow"}"#, "wrong-type", "/fade"), ("POST", "/volume", "{}", "missing-member", "/by"),
            ("POST", "/volume", #"{"by":1.5}"#, "out-of-range", "/by"), ("PATCH", "", #"{"fade":1}"#, "invalid-value", "/fade"),
            ("POST", "/play", #"{"date":"soon"}"#, "invalid-value", "/date"), ("POST", "/play", #"{"hostTime":-1}"#, "out-of-range", "/hostTime"),
            ("POST", "/play", #"{"date":"1970-01-01T00:00:01Z","hostTime":1}"#, "invalid-value", "/date"),
            ("PUT", "/loop", #"{"start":1}"#, "missing-member", "/end"), ("PUT", "/loop", #"{"end":1}"#, "missing-member", "/start"),
            ("PUT", "/loop", #"{"start":2,"end":2}"#, "invalid-value", "/end"), ("PUT", "/loop", #"{"start":-1,"end":2}"#, "out-of-range", "/start"),
            ("POST", "/skip", "{}", "missing-member", "/seconds"), ("POST", "/skip", #"{"seconds":1e10}"#, "out-of-range", "/seconds"),
        ])
    func wrong(_ method: String, _ path: String, _ json: String, _ code: String, _ pointer: String) async throws {
        let reply = await rig.send(method, "/api/v1/player" + path, json: json)
        #expect(reply.status == 400)
        #expect(reply.problem == code)
        #expect(reply.pointer == pointer)
        #expect(performed.isEmpty)
    }

    @Test("a change of the volume answers with the new state, and a skip with its landing")
    func answers() async throws {
        #expect(await rig.send("POST", "/api/v1/player/volume", json: #"{"by":-0.25}"#).json?["volume"]?.double == 0.75)
        #expect(await rig.send("POST", "/api/v1/player/skip", json: #"{"seconds":1}"#).text == #"{"finished":true,"time":42.5,"requested":42.5}"#)
    }

    @Test("the state has the last pause and the fade with the members of the contract")
    func members() async throws {
        rig.player.change {
            $0.lastPause = PlayerState.Pause(reason: .sleepTimer, origin: "player", hostTime: 8000, silence: .noOutput)
            $0.loop = ItemDetails.TimeRange(start: 1, end: 2)
            $0.fade = PlayerState.Fade(kind: .pause, from: 1, to: 0, seconds: 5, hostTime: 8001)
        }
        let state = await rig.send("GET", "/api/v1/player").json
        #expect(state?["lastPause"]?.names == Contract.shared.schema("Pause")?["properties"]?.names)
        #expect(state?["lastPause"]?["reason"]?.text == "sleepTimer")
        #expect(state?["loop"]?.names == ["start", "end"])
        #expect(state?["fade"]?.names == Contract.shared.schema("Fade")?["properties"]?.names)
    }

    @Test(
        "a sleep timer has exactly one kind of end",
        arguments: [
            (#"{"endOfChapter":true}"#, 200, nil), (#"{"endOfChapter":false}"#, 400, "/endOfChapter"),
            (#"{"endOfChapter":true,"endOfItem":true}"#, 400, "/endOfChapter"), (#"{"seconds":1,"endOfChapter":true}"#, 400, "/endOfChapter"),
        ] as [(String, Int, String?)])
    func sleepTimer(_ json: String, _ status: Int, _ pointer: String?) async throws {
        let reply = await rig.send("PUT", "/api/v1/sleep-timer", json: json)
        #expect(reply.status == status)
        #expect(reply.pointer == pointer)
        #expect(performed == (status == 200 ? [.setSleepTimer(.atEndOfChapter)] : []))
    }
}
