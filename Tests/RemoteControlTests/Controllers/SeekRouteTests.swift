import Player
import Testing

@testable import RemoteControl

@MainActor @Suite struct SeekRouteTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    private func seek(_ json: String) async -> Reply { await rig.send("POST", "/api/v1/player/seek", json: json) }

    @Test(
        "each target and each tolerance reaches the player unchanged",
        arguments: [
            (#"{"time":42.5}"#, SeekCommand(target: .time(42.5), tolerance: .automatic)),
            (#"{"time":-0.5,"tolerance":"exact"}"#, SeekCommand(target: .time(-0.5), tolerance: .exact)),
            (#"{"time":1,"tolerance":"automatic"}"#, SeekCommand(target: .time(1), tolerance: .automatic)),
            (#"{"offset":-10}"#, SeekCommand(target: .offset(-10))),
            (#"{"fraction":1,"tolerance":"any"}"#, SeekCommand(target: .fraction(1), tolerance: .any)),
            (#"{"exactTime":{"value":441000,"timescale":44100}}"#, SeekCommand(target: .exactTime(value: 441_000, timescale: 44_100))),
            (#"{"time":1,"tolerance":"range","toleranceBefore":0.5}"#, SeekCommand(target: .time(1), tolerance: .range(before: 0.5, after: 0))),
            (
                #"{"time":1,"tolerance":"range","toleranceBefore":0.5,"toleranceAfter":2}"#,
                SeekCommand(target: .time(1), tolerance: .range(before: 0.5, after: 2))
            ),
        ])
    func targets(_ json: String, _ command: SeekCommand) async throws {
        #expect(await seek(json).status == 200)
        #expect(rig.player.performed.map(\.command) == [.seek(command)])
    }

    @Test("the answer has the landing, and whether a newer seek superseded this one (R-SEEK-02)")
    func answer() async throws {
        rig.player.seekReply = .seek(finished: false, time: 3.5, requested: 42.5)
        #expect(await seek(#"{"time":42.5}"#).text == #"{"finished":false,"time":3.5,"requested":42.5}"#)
    }

    @Test(
        "an invalid seek is refused before it reaches the player (R-SEEK-07)",
        arguments: [
            ("{}", "missing-member", "/time"), (#"{"tolerance":"any"}"#, "missing-member", "/time"),
            (#"{"time":1,"offset":2}"#, "invalid-value", "/offset"),
            (#"{"time":"1"}"#, "wrong-type", "/time"), (#"{"time":null}"#, "wrong-type", "/time"), (#"{"time":1e10}"#, "out-of-range", "/time"),
            (#"{"time":1e400}"#, "out-of-range", "/time"), (#"{"fraction":1.1}"#, "out-of-range", "/fraction"),
            (#"{"fraction":-0.1}"#, "out-of-range", "/fraction"),
            (#"{"date":"1970-01-01T00:01:00Z"}"#, "unknown-member", "/date"),
            (#"{"exactTime":1}"#, "wrong-type", "/exactTime"),
            (#"{"exactTime":{"value":1}}"#, "missing-member", "/exactTime/timescale"),
            (#"{"exactTime":{"timescale":1}}"#, "missing-member", "/exactTime/value"),
            (#"{"exactTime":{"value":1,"timescale":0}}"#, "out-of-range", "/exactTime/timescale"),
            (#"{"exactTime":{"value":1,"timescale":-1}}"#, "out-of-range", "/exactTime/timescale"),
            (#"{"exactTime":{"value":1,"timescale":2147483648}}"#, "out-of-range", "/exactTime/timescale"),
            (#"{"exactTime":{"value":1.5,"timescale":1}}"#, "out-of-range", "/exactTime/value"),
            (#"{"exactTime":{"value":9223372036854775808,"timescale":1}}"#, "out-of-range", "/exactTime/value"),
            (#"{"exactTime":{"value":9223372036854775807,"timescale":1}}"#, "out-of-range", "/exactTime/value"),
            (#"{"exactTime":{"value":-9223372036854775808,"timescale":1}}"#, "out-of-range", "/exactTime/value"),
            (#"{"exactTime":{"value":1,"timescale":1,"flags":1}}"#, "unknown-member", "/exactTime/flags"),
            (#"{"time":1,"tolerance":"none"}"#, "invalid-value", "/tolerance"),
            (#"{"time":1,"toleranceBefore":1}"#, "invalid-value", "/toleranceBefore"),
            (#"{"time":1,"tolerance":"range","toleranceAfter":-1}"#, "out-of-range", "/toleranceAfter"),
            (#"{"seconds":1}"#, "unknown-member", "/seconds"),
        ])
    func wrong(_ json: String, _ code: String, _ pointer: String) async throws {
        let reply = await seek(json)
        #expect(reply.status == 400)
        #expect(reply.problem == code)
        #expect(reply.pointer == pointer)
        #expect(rig.player.performed.isEmpty)
    }

    @Test("a seek without a current item gives 409")
    func noItem() async throws {
        rig.player.refusal = .noItem
        #expect(await seek(#"{"time":1}"#).problem == "no-current-item")
    }
}
