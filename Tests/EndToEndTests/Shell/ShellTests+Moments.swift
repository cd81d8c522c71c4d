import Foundation
import Testing

extension EndToEndTests.ShellTests {
    /// The scripts that start and pause: at a date, at an end, because of a telephone.
    static let moments: [String: Task] = [
        "alarm": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song, playing: true)
            let events = try EventListener(port: stage.daemon.port)
            try eventually("the snapshot") { events.events("state").first }
            // The format has whole seconds, so the date is more than three seconds away.
            let date = Date(timeIntervalSinceNow: 4).formatted(.iso8601)
            // The script prints the answers. The state has no `scheduledStart` any more when the start is prepared.
            let answers = try stage.perform("alarm", stage.media.file(ShellStage.long), date, "0.3")
            #expect(answers.contains(/"scheduledStart":{[^}]*"date":/))
            try stage.until("the alarm") { $0["timeControlStatus"] as? String == "playing" }
            let fade = try eventually("the fade") { events.events("state").compactMap { $0.object["fade"] as? [String: Any] }.first }
            #expect(fade["kind"] as? String == "play" && fade["seconds"] as? Double == 0.3)
            #expect(try stage.current() == ShellStage.long)
        },
        "snooze": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, playing: true)
            try stage.perform("snooze", "9")
            let state = try stage.state()
            #expect(state["timeControlStatus"] as? String == "paused")
            let start = try #require(state["scheduledStart"] as? [String: Any])
            let now = try #require(stage.daemon.client.send("GET", "/api/v1/clock").json["hostTime"] as? Double)
            #expect((480...600).contains(try #require(start["hostTime"] as? Double) - now))
        },
        "sleep-fade": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, playing: true)
            let events = try EventListener(port: stage.daemon.port)
            try eventually("the snapshot") { events.events("state").first }
            try stage.perform("sleep-fade", "0", "0.2")
            try stage.until("the pause") { $0["timeControlStatus"] as? String == "paused" }
            // The event may arrive after the answer that has the pause.
            let fade = try eventually("the fade") { events.events("state").compactMap { $0.object["fade"] as? [String: Any] }.first }
            #expect(fade["kind"] as? String == "pause" && fade["seconds"] as? Double == 0.2)
            #expect(try stage.state()["volume"] as? Double == 1)
        },
        "sleep-timer": {
            let stage = try ShellStage()
            try stage.perform("sleep-timer", "30")
            let timer = try stage.daemon.client.send("GET", "/api/v1/sleep-timer").json
            #expect(timer["kind"] as? String == "time")
            #expect((1700...1800).contains(timer["remaining"] as? Double ?? 0))
        },
        "stop-after-track": {
            let stage = try ShellStage()
            try stage.load(ShellStage.short, ShellStage.long)
            try stage.perform("stop-after-track")
            try stage.daemon.client.command("POST", "/player/play")
            let state = try stage.until("the pause") { ($0["lastPause"] as? [String: Any])?["reason"] as? String == "sleepTimer" }
            #expect(state["rate"] as? Double == 0)
            // Nothing of the next track was heard.
            #expect(try stage.current() == ShellStage.short || stage.daemon.client.time() == 0)
        },
        "stop-after-chapter": {
            let stage = try ShellStage()
            try stage.book()
            try stage.load("book.mka")
            try stage.perform("stop-after-chapter")
            try stage.daemon.client.command("POST", "/player/play")
            try stage.until("the pause") { ($0["lastPause"] as? [String: Any])?["reason"] as? String == "sleepTimer" }
            #expect((1..<2).contains(try stage.daemon.client.time()))
        },
        "phone-rings": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, playing: true)
            try stage.perform("phone-rings")
            let state = try stage.until("the pause") { $0["timeControlStatus"] as? String == "paused" }
            #expect((state["lastPause"] as? [String: Any])?["origin"] as? String == "phone")
        },
        "phone-ends": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, playing: true)
            try stage.daemon.client.command("POST", "/player/pause")
            #expect(throws: Daemon.Failure.self) { try stage.perform("phone-ends") }
            #expect(try stage.state()["rate"] as? Double == 0)
            try stage.daemon.client.command("POST", "/player/play")
            try stage.perform("phone-rings")
            try stage.until("the pause") { $0["timeControlStatus"] as? String == "paused" }
            try stage.perform("phone-ends")
            #expect(try stage.state()["rate"] as? Double == 1)
        },
        "wait-for-end": {
            let stage = try ShellStage()
            try stage.load(ShellStage.short)
            let script = try stage.start("wait-for-end")
            try stage.daemon.client.command("POST", "/player/play")
            try eventually("the script ends") { script.isRunning ? nil : true }
            #expect(script.terminationStatus == 0)
            #expect(try stage.state()["ended"] as? Bool == true)
        },
        "skip-intro": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song, ShellStage.long)
            try stage.follow("skip-intro", ["15"])
            try stage.daemon.client.command("POST", "/queue/next")
            #expect(try stage.current() == ShellStage.long)
            try eventually("the intro is skipped") { try stage.daemon.client.time() == 15 ? true : nil }
        },
    ]
}
