import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The page's queue", .serialized)
    struct PageQueueTests {
        private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        @Test("in a real Chromium a finger and a keyboard edit a queue of up to 10,000 entries, and every edit can be undone")
        func edits() throws {
            let (source, folder) = (try MediaFolder(), try MediaFolder())
            try source.wav("noise.wav", Noise(seconds: 60, seed: 23).frames)
            for name in ["a", "b", "c", "d"] {
                let file = "\(name).flac"
                try source.encode("noise.wav", to: file)
                try FileManager.default.moveItem(atPath: source.file(file), toPath: folder.file(file))
            }
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            let script = Self.checkout.appending(path: "Tests/EndToEndTests/Browser/queue_page.py").path
            // If a check of the script fails, `run` throws an error with all findings.
            try run(Self.checkout.appending(path: ".venv/bin/python").path, [script, "http://127.0.0.1:\(daemon.port)/", folder.path])
        }
    }
}
