import Foundation
import Testing

extension EndToEndTests.ShellTests {
    /// The scripts that change what is heard.
    static let playing: [String: Task] = [
        "play": {
            let stage = try ShellStage()
            #expect(try stage.perform("play", stage.media.file(ShellStage.song)).contains("\"title\":\"First Light\""))
            #expect(try stage.queue() == [ShellStage.song])
            #expect(try stage.state()["rate"] as? Double == 1)
        },
        "bookmark": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, at: 12.5)
            try stage.perform("bookmark", stage.written("book"))
            let book = try #require(JSONSerialization.jsonObject(with: Data(stage.text("book").utf8)) as? [String: Any])
            #expect(book["url"] as? String == stage.media.url(ShellStage.long))
            #expect(book["startTime"] as? Double == 12.5)
        },
        "resume": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, at: 12.5)
            try stage.perform("bookmark", stage.written("book"))
            try stage.load(ShellStage.song)
            try stage.perform("resume", stage.written("book"))
            #expect(try stage.current() == ShellStage.long)
            try stage.until("it plays") { $0["timeControlStatus"] as? String == "playing" }
            #expect(try stage.object("anchor")["time"] as? Double ?? 0 >= 12.5)
        },
        "announce": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, at: 20, playing: true)
            let events = try EventListener(port: stage.daemon.port)
            try eventually("the snapshot") { events.events("state").first }
            try stage.perform("announce", stage.media.file(ShellStage.short))
            // Events may arrive after the answers to the script's requests.
            let entries = try eventually("the events") { () -> [String]? in
                let urls = events.events("currentItemChanged").compactMap { $0.object["url"] as? String }
                return urls.count >= 2 ? urls : nil
            }
            #expect(entries == [stage.media.url(ShellStage.short), stage.media.url(ShellStage.long)])
            #expect(events.events("didPlayToEndTime").count == 1)
            #expect(try stage.queue() == [ShellStage.long])
            let state = try stage.state()
            #expect(state["rate"] as? Double == 1)
            #expect((state["anchor"] as? [String: Any])?["time"] as? Double ?? 0 >= 20)
        },
        "volume": {
            let stage = try ShellStage()
            try stage.daemon.client.command("PATCH", "/player", ["volume": 0.5])
            try stage.perform("volume", "0.05")
            #expect(abs(try #require(stage.state()["volume"] as? Double) - 0.55) < 1e-6)
            try stage.perform("volume", "-0.1")
            #expect(abs(try #require(stage.state()["volume"] as? Double) - 0.45) < 1e-6)
        },
        "fade-to": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, playing: true)
            let events = try EventListener(port: stage.daemon.port)
            try eventually("the snapshot") { events.events("state").first }
            try stage.perform("fade-to", "0.25", "0.2")
            #expect(try stage.state()["volume"] as? Double == 0.25)
            let fade = try eventually("the fade") { events.events("state").compactMap { $0.object["fade"] as? [String: Any] }.first }
            #expect(fade["from"] as? Double == 1 && fade["to"] as? Double == 0.25 && fade["seconds"] as? Double == 0.2)
        },
        "duck": {
            let stage = try ShellStage()
            try stage.daemon.client.command("PATCH", "/player", ["volume": 0.75])
            try stage.load(ShellStage.long, playing: true)
            try stage.perform("duck", "sh", "-c", "curl --silent $TONEARM/api/v1/player >'\(stage.written("during"))'")
            #expect(stage.text("during").contains("\"volume\":0.1,"))
            #expect(try stage.state()["volume"] as? Double == 0.75)
        },
        "skip": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, at: 10)
            try stage.perform("skip", "30")
            #expect(try stage.daemon.client.time() == 40)
            try stage.perform("skip", "-100")
            #expect(try stage.daemon.client.time() == 0)
        },
        "ab-loop": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long)
            try stage.perform("ab-loop", "1", "2.5")
            let loop = try stage.object("loop")
            #expect(loop["start"] as? Double == 1 && loop["end"] as? Double == 2.5)
        },
        "loop-end": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long)
            try stage.daemon.client.command("PUT", "/player/loop", ["start": 1, "end": 2])
            try stage.perform("loop-end")
            #expect(try stage.state()["loop"] == nil)
        },
        "chapter": {
            let stage = try ShellStage()
            try stage.book()
            try stage.load("book.mka")
            try stage.perform("chapter", "2")
            #expect(try stage.daemon.client.time() == 1)
            #expect(throws: Daemon.Failure.self) { try stage.perform("chapter", "9") }
        },
        "podcast": {
            let stage = try ShellStage()
            try stage.perform("podcast", stage.media.file(ShellStage.long), "1.5")
            let state = try stage.until("it plays") { $0["timeControlStatus"] as? String == "playing" }
            #expect(state["rate"] as? Double == 1.5)
            #expect(state["audioTimePitchAlgorithm"] as? String == "timeDomain")
            #expect(try stage.current() == ShellStage.long)
        },
        "party": {
            let stage = try ShellStage()
            try stage.perform("party", "7")
            let state = try stage.state()
            #expect(state["isShuffled"] as? Bool == true && state["repeatMode"] as? String == "all")
            #expect(state["crossfadeDuration"] as? Double == 4 && state["loudnessNormalization"] as? String == "track")
        },
    ]
}
