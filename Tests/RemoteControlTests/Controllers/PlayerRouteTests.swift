import AVFoundation
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

@MainActor @Suite struct PlayerRouteTests {
    private let rig: TestRig
    private var performed: [FakeRemotePlayer.Performed] { rig.player.performed }

    init() throws { rig = try TestRig() }

    // MARK: State

    @Test("the state has every member of the contract in its order, and omits absent values")
    func state() async throws {
        let empty = await rig.send("GET", "/api/v1/player")
        #expect(empty.status == 200)
        #expect(empty.json?["epoch"]?.text == "e0")
        #expect(empty.json?["revision"]?.double == 1)
        #expect(empty.json?["currentItem"] == nil)
        #expect(empty.header("Content-Type") == "application/json")
        rig.player.change {
            $0.currentItem = PlayerState.Item(
                id: "e1", url: "file:///a", status: .failed, error: PlayerState.Failure(code: .network, message: "m"), title: "t", artist: "a",
                album: "b", duration: 1.5, isLive: true, isSeekable: true, hasArtwork: true,
                format: PlayerState.Format(fileType: "flac", codec: "flac", sampleRate: 44100, channels: 2, bitsPerSample: 16, bitRate: 1000),
                startTime: 0.5, addedBy: "phone")
            $0.currentItem?.artists = ["a", "b"]
            $0.currentItem?.genre = "g, h"
            $0.currentItem?.genres = ["g", "h"]
            $0.currentItem?.streamTitle = "a - t"
            $0.currentItem?.stationName = "s"
            $0.currentItem?.publicationDate = 1_577_836_800
            $0.signalPath = PlayerState.SignalPath(
                source: .init(sampleRate: 96_000, channels: 6), codec: "flac", bitsPerSample: 24, output: .init(sampleRate: 48_000, channels: 2),
                device: DeviceFormat(sampleRate: 44_100, channels: 1, bitsPerSample: 16),
                loudnessGain: -3.5, timePitchAlgorithm: .spectral, volume: 0.5)
            $0.persistence = PlayerState.Persistence(isKept: false, error: PersistenceFailure(.diskFull, "m"))
            $0.lastPause = PlayerState.Pause(reason: .sleepTimer, origin: "player", hostTime: 8000)
            $0.scheduledStart = PlayerState.ScheduledStart(hostTime: 8002, date: 0)
            $0.loop = ItemDetails.TimeRange(start: 1, end: 2)
            $0.fade = PlayerState.Fade(kind: .pause, from: 1, to: 0, seconds: 5, hostTime: 8001)
            $0.audioSession.silence = .noOutput
            $0.isPositionEstimated = true
            $0.network = PlayerState.Network(error: PlayerState.Failure(code: .network, message: "m"), attempt: 2, retryHostTime: 8003)
            $0.seek = PlayerState.Seek(target: 9, progress: 0.25)
            $0.nextEntry = PlayerState.NextEntry(id: "e2", url: "file:///b", title: "t", artist: "a", duration: 2.5)
            $0.output = PlayerState.Output(kind: .pulse, id: "d", name: "n", error: PlayerState.Failure(code: .network, message: "m"))
        }
        let full = await rig.send("GET", "/api/v1/player")
        let names = Contract.shared.schema("PlayerState")?["properties"]?.names
        #expect(full.json?.names == names)
        for (member, schema) in [
            ("currentItem", "Item"), ("anchor", "Anchor"), ("output", "Output"), ("audioSession", "AudioSessionSummary"), ("lastChange", "Change"),
            ("queue", "QueuePosition"), ("persistence", "Persistence"), ("nextEntry", "NextEntry"), ("signalPath", "SignalPath"),
            ("network", "Network"), ("seek", "PendingSeek"),
        ] {
            #expect(full.json?[member]?.names == Contract.shared.schema(schema)?["properties"]?.names, "\(member)")
        }
        #expect(full.json?["currentItem"]?["format"]?.names == Contract.shared.schema("Format")?["properties"]?.names)
        for (member, schema) in [("source", "SignalSource"), ("output", "SignalOutput"), ("device", "SignalDevice")] {
            #expect(full.json?["signalPath"]?[member]?.names == Contract.shared.schema(schema)?["properties"]?.names)
        }
        #expect(full.json?["currentItem"]?["genres"]?.elements.map(\.text) == ["g", "h"])
        #expect(full.json?["currentItem"]?["publicationDate"]?.text == "2020-01-01T00:00:00.000Z")
        #expect(!full.text.contains("null"))
    }

    @Test("the revision grows by one with every change, and only then")
    func revision() async throws {
        rig.player.change { $0.volume = 0.5 }
        rig.player.change { $0.volume = 0.5 }
        rig.player.change { $0.volume = 0.25 }
        let reply = await rig.send("GET", "/api/v1/player")
        #expect(reply.json?["revision"]?.double == 3)
        #expect(reply.header("ETag") == "\"player:e0:3\"")
    }

    @Test("If-None-Match with the current tag gives 304, with any other tag 200")
    func noneMatch() async throws {
        for known in ["\"player:e0:1\"", "W/\"player:e0:1\"", "*", "\"x\", \"player:e0:1\""] {
            let reply = await rig.send("GET", "/api/v1/player", headers: [("If-None-Match", known)])
            #expect(reply.status == 304)
            #expect(reply.header("ETag") == "\"player:e0:1\"")
        }
        for known in ["\"player:e0:2\"", "\"player:e9:1\"", "e0:1"] {
            #expect(await rig.send("GET", "/api/v1/player", headers: [("If-None-Match", known)]).status == 200)
        }
    }

    @Test("GET of the time returns the position that is heard now, and is not cached")
    func time() async throws {
        let reply = await rig.send("GET", "/api/v1/player/time")
        #expect(reply.text == #"{"currentTime":12.25,"rate":1,"hostTime":8123.5,"revision":1}"#)
        #expect(reply.header("Cache-Control") == "no-store")
    }

    @Test("a position that belongs to an unpublished state is answered after the publication, with the revision of that state")
    func timeBeforeState() async throws {
        rig.player.publishesLater = true
        rig.player.change { $0.volume = 0.5 }
        rig.player.heard.withLock { $0 = PlayerTime(currentTime: 0, rate: 1, hostTime: 8124, isPublished: false) }
        let isAnswered = Mutex(false)
        let task = Task { @MainActor in
            let reply = await rig.send("GET", "/api/v1/player/time")
            isAnswered.withLock { $0 = true }
            return reply
        }
        await rig.until { rig.player.followerCount == 1 || isAnswered.withLock { $0 } }
        rig.player.heard.withLock { $0.isPublished = true }
        rig.player.publish()
        #expect(await task.value.text == #"{"currentTime":0,"rate":1,"hostTime":8124,"revision":2}"#)
    }

    @Test("if a state is published while the position is read, the answer has the position and the revision of that state")
    func timeDuringPublication() async throws {
        rig.player.afterReading.withLock {
            $0 = { [player = rig.player] in
                MainActor.assumeIsolated {
                    player.heard.withLock { $0 = PlayerTime(currentTime: 0, rate: 1, hostTime: 8124) }
                    player.change { $0.volume = 0.5 }
                }
            }
        }
        #expect(await rig.send("GET", "/api/v1/player/time").text == #"{"currentTime":0,"rate":1,"hostTime":8124,"revision":2}"#)
    }

    @Test("the clock returns the host time and the date")
    func clock() async throws {
        let reply = await rig.send("GET", "/api/v1/clock")
        #expect(reply.text == #"{"hostTime":8000,"date":"2026-01-31T12:00:00.250Z"}"#)
        #expect(reply.header("Cache-Control") == "no-store")
    }

    // MARK: Settings

    @Test("PATCH changes exactly the given members and answers with the resulting state")
    func update() async throws {
        let reply = await rig.send("PATCH", "/api/v1/player", headers: [("Tonearm-Client", "kitchen")], json: #"{"volume":0.5,"isMuted":true}"#)
        var update = PlayerUpdate()
        update.volume = 0.5
        update.isMuted = true
        #expect(performed == [FakeRemotePlayer.Performed(command: .update(update), origin: "kitchen")])
        #expect(reply.json?["volume"]?.double == 0.5)
        #expect(reply.header("ETag") == "\"player:e0:2\"")
    }

    @Test("PATCH accepts every member of the contract")
    func updateAll() async throws {
        _ = await rig.send(
            "PATCH", "/api/v1/player",
            json: """
                {"rate":-32,"defaultRate":32,"volume":1,"isMuted":false,"automaticallyWaitsToMinimizeStalling":false,"audioTimePitchAlgorithm":"spectral",
                "repeatMode":"all","isShuffled":true,"actionAtItemEnd":"pause"}
                """)
        var update = PlayerUpdate()
        update.rate = -32
        update.defaultRate = 32
        update.volume = 1
        update.isMuted = false
        update.automaticallyWaitsToMinimizeStalling = false
        update.audioTimePitchAlgorithm = .spectral
        update.repeatMode = .all
        update.isShuffled = true
        update.actionAtItemEnd = .pause
        #expect(performed.map(\.command) == [.update(update)])
    }

    @Test(
        "an invalid member is refused with its pointer and changes nothing",
        arguments: [
            (#"{"volumen":1}"#, "unknown-member", "/volumen"), (#"{"volume":1.01}"#, "out-of-range", "/volume"),
            (#"{"volume":-0.01}"#, "out-of-range", "/volume"),
            (#"{"rate":0.03}"#, "out-of-range", "/rate"), (#"{"rate":-0.0312}"#, "out-of-range", "/rate"),
            (#"{"defaultRate":1e-9}"#, "out-of-range", "/defaultRate"), (#"{"rate":32.5}"#, "out-of-range", "/rate"),
            (#"{"rate":-33}"#, "out-of-range", "/rate"), (#"{"rate":1e999}"#, "out-of-range", "/rate"),
            (#"{"defaultRate":0}"#, "out-of-range", "/defaultRate"), (#"{"volume":"1"}"#, "wrong-type", "/volume"),
            (#"{"volume":null}"#, "wrong-type", "/volume"),
            (#"{"isMuted":1}"#, "wrong-type", "/isMuted"), (#"{"repeatMode":"ALL"}"#, "invalid-value", "/repeatMode"),
            (#"{"repeatMode":true}"#, "wrong-type", "/repeatMode"),
            (#"{"audioTimePitchAlgorithm":"x"}"#, "invalid-value", "/audioTimePitchAlgorithm"),
            (#"{"volume":0.5,"volume":0.6}"#, "malformed-json", "/volume"),
            ("[]", "wrong-type", ""), ("1", "wrong-type", ""), ("null", "wrong-type", ""), (#"{"a/b~":1}"#, "unknown-member", "/a~1b~0"),
            (#"{"volume":1,"typo":2}"#, "unknown-member", "/typo"),
        ])
    func badUpdate(_ json: String, _ code: String, _ pointer: String) async throws {
        let reply = await rig.send("PATCH", "/api/v1/player", json: json)
        #expect(reply.status == 400)
        #expect(reply.problem == code)
        #expect(reply.pointer == pointer)
        #expect(performed.isEmpty)
    }

    @Test(
        "malformed JSON is refused",
        arguments: ["{", "NaN", #"{"volume":NaN}"#, #"{"rate":Infinity}"#, #"{"volume":1}x"#, "\u{0}", "é", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["])
    func malformed(_ json: String) async throws {
        let reply = await rig.send("PATCH", "/api/v1/player", json: json)
        #expect(reply.status == 400)
        #expect(reply.problem == "malformed-json")
        #expect(performed.isEmpty)
    }

    @Test("If-Match with the newest revision permits the change; an older one gives 412 and nothing changes")
    func match() async throws {
        rig.player.change { $0.volume = 0.5 }
        let stale = await rig.send("PATCH", "/api/v1/player", headers: [("If-Match", "\"player:e0:1\"")], json: #"{"volume":0.1}"#)
        #expect(stale.status == 412)
        #expect(stale.problem == "precondition-failed")
        #expect(performed.isEmpty)
        #expect(await rig.send("PATCH", "/api/v1/player", headers: [("If-Match", "W/\"player:e0:2\"")], json: #"{"volume":0.1}"#).status == 412)
        #expect(await rig.send("PATCH", "/api/v1/player", headers: [("If-Match", "\"player:e0:2\"")], json: #"{"volume":0.1}"#).status == 200)
        #expect(await rig.send("PATCH", "/api/v1/player", headers: [("If-Match", "*")], json: #"{"volume":0.2}"#).status == 200)
    }

    @Test("If-Match takes into account a change that the player has not published yet")
    func matchUntold() async throws {
        rig.player.publishesLater = true
        rig.player.change { $0.volume = 0.5 }
        async let reply = rig.send("PATCH", "/api/v1/player", headers: [("If-Match", "\"player:e0:1\"")], json: #"{"volume":0.1}"#)
        await rig.until { rig.player.followerCount > 0 }
        rig.player.publish()
        rig.time.run()
        #expect(await reply.status == 412)
    }

    // MARK: Transport

    @Test("play, pause and toggle need no body, record their client and answer with the state")
    func transport() async throws {
        let play = await rig.send("POST", "/api/v1/player/play")
        #expect(play.json?["timeControlStatus"]?.text == "playing")
        #expect(play.json?["lastChange"]?["origin"]?.text == "remote")
        let pause = await rig.send("POST", "/api/v1/player/pause", headers: [("Tonearm-Client", "desk")], json: "{}")
        #expect(pause.json?["timeControlStatus"]?.text == "paused")
        #expect(pause.json?["lastChange"]?["origin"]?.text == "desk")
        _ = await rig.send("POST", "/api/v1/player/toggle")
        _ = await rig.send("POST", "/api/v1/player/play", json: #"{"rate":1.5}"#)
        #expect(performed.map(\.command) == [.play(rate: nil), .pause, .toggle, .play(rate: 1.5)])
    }

    @Test("the answer shows the change even if the player publishes it at the end of its turn")
    func settled() async throws {
        rig.player.publishesLater = true
        async let reply = rig.send("POST", "/api/v1/player/play")
        await rig.until { rig.player.followerCount > 0 }
        rig.player.publish()
        rig.time.run()
        #expect(await reply.json?["rate"]?.double == 1)
        #expect(await reply.json?["revision"]?.double == 2)
    }

    @Test(
        "play, pause and toggle refuse unknown members and invalid values",
        arguments: [
            ("play", #"{"rate":0}"#, "out-of-range", "/rate"), ("play", #"{"rate":"fast"}"#, "wrong-type", "/rate"),
            ("play", #"{"speed":1}"#, "unknown-member", "/speed"),
            ("pause", #"{"rate":1}"#, "unknown-member", "/rate"), ("toggle", "[]", "wrong-type", ""),
        ])
    func badTransport(_ name: String, _ json: String, _ code: String, _ pointer: String) async throws {
        let reply = await rig.send("POST", "/api/v1/player/" + name, json: json)
        #expect(reply.problem == code)
        #expect(reply.pointer == pointer)
        #expect(performed.isEmpty)
    }

    @Test(
        "each refusal of the player has its own problem and status (J-2)",
        arguments: [
            (.noItem, 409, "no-current-item"), (.notReady, 409, "item-not-ready"), (.notSeekable, 409, "not-seekable"),
            (.outOfRange(end: 60.5), 422, "seek-out-of-range"),
            (.itemFailed(PlayerState.Failure(code: .corruptMedia, message: "No sound.")), 422, "item-failed"),
            (.rateNotPlayable, 422, "rate-not-playable"),
        ] as [(PlayerRefusal, Int, String)])
    func refusals(_ refusal: PlayerRefusal, _ status: Int, _ code: String) async throws {
        rig.player.refusal = refusal
        for (path, json) in [("seek", #"{"time":1}"#), ("play", nil), ("pause", nil), ("toggle", nil)] {
            let reply = await rig.send("POST", "/api/v1/player/" + path, json: json)
            #expect(reply.status == status)
            #expect(reply.problem == code)
            #expect(reply.header("Content-Type") == "application/problem+json")
            #expect(reply.json?["end"]?.double == (status == 422 && code == "seek-out-of-range" ? 60.5 : nil))
            #expect(reply.json?["error"]?["code"]?.text == (code == "item-failed" ? "corruptMedia" : nil))
        }
    }
}
