import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The start of the page", .serialized)
    struct PageStartTests {
        @Test("the page keeps its budgets: bytes, requests, the layout's shift, and thoroughly, with loose limits, times, memory and processor time")
        func budgets() throws {
            let (source, folder) = (try MediaFolder(), try MediaFolder())
            try source.wav("noise.wav", Noise(seconds: 90, seed: 51).frames)
            let picture = source.file("cover.png")
            try run("ffmpeg", ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=600x600", "-frames:v", "1", picture])
            let cover = ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"]
            for name in ["a", "b"] {
                try source.encode("noise.wav", to: "\(name).flac", cover + ["-metadata", "title=\(name)"])
                try FileManager.default.moveItem(atPath: source.file("\(name).flac"), toPath: folder.file("\(name).flac"))
            }
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            let entries = ["a.flac", "b.flac"].map { ["url": folder.url($0)] }
            let loaded = try daemon.client.send("PUT", "/api/v1/queue", json: ["entries": entries, "startIndex": 0, "play": true])
            #expect(loaded.status == 200)
            // `script/bench web` measures with the exact limits. This machine may do something else meanwhile.
            try PageTests.browse("start.py", daemon, TestDepth.isThorough ? ["--slack", "10", "--seconds", "10"] : ["--counts"])
        }
    }
}
