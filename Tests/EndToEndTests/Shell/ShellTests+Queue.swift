import Foundation
import Testing

extension EndToEndTests.ShellTests {
    /// The scripts that edit the queue.
    static let queue: [String: Task] = [
        "play-next": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, ShellStage.song)
            try stage.perform("play-next", stage.media.file(ShellStage.short), stage.media.file(ShellStage.long))
            #expect(try stage.queue() == [ShellStage.long, ShellStage.short, ShellStage.long, ShellStage.song])
        },
        "enqueue": {
            let stage = try ShellStage()
            let name = #"it's "new" \ 100%.wav"#
            try stage.media.silence(name, seconds: 1)
            try FileManager.default.createDirectory(atPath: stage.media.file("A & B"), withIntermediateDirectories: true)
            for name in ["10.wav", "2.wav", "1.wav"] { try stage.media.silence("A & B/" + name, seconds: 1) }
            try stage.load(ShellStage.long)
            try stage.perform("enqueue", stage.media.file(name), stage.media.file("A & B"), stage.media.file(ShellStage.song))
            #expect(try stage.queue() == [ShellStage.long, name, "1.wav", "2.wav", "10.wav", ShellStage.song])
        },
        "undo": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, ShellStage.song)
            _ = try stage.daemon.client.send("DELETE", "/api/v1/queue")
            try stage.perform("undo")
            #expect(try stage.queue() == [ShellStage.long, ShellStage.song])
        },
        "consume": {
            let stage = try ShellStage()
            try stage.load(ShellStage.long, ShellStage.song, ShellStage.short)
            try stage.perform("consume", "true")
            try stage.daemon.client.command("POST", "/queue/next")
            #expect(try stage.queue() == [ShellStage.song, ShellStage.short])
            try stage.perform("consume", "false")
            try stage.daemon.client.command("POST", "/queue/next")
            #expect(try stage.queue() == [ShellStage.song, ShellStage.short])
        },
        "next": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song, ShellStage.long, ShellStage.short)
            try stage.perform("next")
            #expect(try stage.current() == ShellStage.long)
        },
        "save-queue": {
            let stage = try ShellStage()
            let title = #"Say "hi" \ x"#
            let entries = [["url": stage.media.url(ShellStage.short)], ["url": stage.media.url(ShellStage.long), "title": title]]
            try stage.daemon.client.command("PUT", "/queue", ["entries": entries, "startIndex": 1, "startTime": 7.5])
            try stage.until("it is open") { ($0["currentItem"] as? [String: Any])?["status"] as? String == "readyToPlay" }
            try eventually("the position") { try stage.daemon.client.time() == 7.5 ? true : nil }
            try stage.perform("save-queue", stage.written("queue"))
            let saved = try #require(JSONSerialization.jsonObject(with: Data(stage.text("queue").utf8)) as? [String: Any])
            #expect(saved["entries"] as? [[String: String]] == entries)
            #expect(saved["startIndex"] as? Int == 1 && saved["startTime"] as? Double == 7.5)
        },
        "restore-queue": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song, ShellStage.long, ShellStage.short)
            try stage.daemon.client.command("POST", "/queue/next")
            try stage.daemon.client.command("POST", "/player/seek", ["time": 12.5])
            try stage.perform("save-queue", stage.written("queue"))
            _ = try stage.daemon.client.send("DELETE", "/api/v1/queue")
            #expect(try stage.queue().isEmpty)
            try stage.perform("restore-queue", stage.written("queue"))
            #expect(try stage.queue() == [ShellStage.song, ShellStage.long, ShellStage.short])
            #expect(try stage.current() == ShellStage.long)
            try eventually("the position") { try stage.daemon.client.time() == 12.5 ? true : nil }
        },
        "add-once": {
            let stage = try ShellStage()
            try stage.perform("add-once", stage.media.file(ShellStage.short), "key-1")
            try stage.perform("add-once", stage.media.file(ShellStage.short), "key-1")
            #expect(try stage.queue() == [ShellStage.short])
            try stage.perform("add-once", stage.media.file(ShellStage.short), "key-2")
            #expect(try stage.queue() == [ShellStage.short, ShellStage.short])
        },
        "clear-played": {
            let stage = try ShellStage()
            try stage.load(ShellStage.song, ShellStage.short, ShellStage.long, ShellStage.short)
            try stage.daemon.client.command("POST", "/queue/next")
            try stage.daemon.client.command("POST", "/queue/next")
            try stage.perform("clear-played")
            #expect(try stage.queue() == [ShellStage.long, ShellStage.short])
            #expect(try stage.current() == ShellStage.long)
        },
    ]
}
