import Foundation
import Testing

extension EndToEndTests.ShellTests {
    /// The scripts that show something, or react to it.
    static let watching: [String: Task] = [
        "now-playing": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song)
            #expect(try stage.perform("now-playing") == "Tonearm – First Light\n")
        },
        "react": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, ShellStage.song)
            try stage.follow("react", ["sh", "-c", "echo \"$1|$2\" >>'\(stage.written("tracks"))'", "react"])
            try stage.daemon.client.command("POST", "/queue/next")
            let line = "First Light|\(stage.media.url(ShellStage.song))\n"
            try eventually("the track") { stage.text("tracks") == line ? true : nil }
        },
        "follow-output": {
            let stage = try ShellStage(output: "file")
            try stage.load(ShellStage.long, playing: true)
            try stage.follow("follow-output", ["sh", "-c", "echo \"$1\" >>'\(stage.written("outputs"))'", "follow"])
            try stage.daemon.client.command("PUT", "/output", ["id": "null"])
            let name = try #require(stage.object("output")["name"] as? String)
            try eventually("the output") { stage.text("outputs").hasSuffix(name + "\n") ? true : nil }
        },
        "lyrics": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song, at: 3)
            #expect(try stage.perform("lyrics") == "First light on the water\n")
            try stage.daemon.client.command("POST", "/player/seek", ["time": 9.5])
            #expect(try stage.perform("lyrics") == "slow as a tone arm\n")
        },
        "cover": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song)
            try stage.perform("cover", stage.written("cover"), "64")
            let id = try #require(stage.object("currentItem")["id"] as? String)
            let picture = try stage.daemon.client.send("GET", "/api/v1/items/\(id)/artwork?size=64").body
            #expect(picture.count > 100)
            #expect(try Data(contentsOf: URL(filePath: stage.written("cover"))) == Data(picture))
        },
        "waveform": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song)
            let drawing = try stage.perform("waveform")
            #expect(drawing.count == 60)
            #expect(Set(drawing).isSubset(of: "▁▂▃▄▅▆▇█") && Set(drawing).count > 2)
            try stage.load(ShellStage.short)
            #expect(try stage.perform("waveform") == String(repeating: "▁", count: 60))
        },
        "watchdog": {
            let stage = try ShellStage()
            try stage.perform("watchdog", "touch", stage.written("alert"))
            #expect(!FileManager.default.fileExists(atPath: stage.written("alert")))
            _ = try stage.daemon.end(with: SIGTERM)
            try stage.perform("watchdog", "touch", stage.written("alert"))
            #expect(FileManager.default.fileExists(atPath: stage.written("alert")))
        },
        "metric": {
            let stage = try ShellStage()
            try stage.load(ShellStage.short, ShellStage.long)
            #expect(try stage.perform("metric", "tonearm_queue_entries") == "tonearm_queue_entries 2\n")
        },
    ]
}
