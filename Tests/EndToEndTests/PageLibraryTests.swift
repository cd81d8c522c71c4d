import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The library of the page", .serialized)
    struct PageLibraryTests {
        /// Names that are markup, change the direction of text, contain control characters, or are as long as a name can be.
        private static let hostileNames = [
            "<script>window.broken = 1<%2Fscript>.wav", "<img src=x onerror=\"window.broken = 1\">.wav", "😀 emoji 🎵.wav", "أغنية طويلة.wav",
            String(repeating: "x", count: 251) + ".wav", "100% & ?#; '\"\\.wav", "line\nbreak.wav", "\u{202e}override.wav",
        ]

        @Test("folders, files, playlist files, selections and addresses are played, played next and added, and Undo restores the queue")
        func library() throws {
            let folder = try MediaFolder()
            for name in ["Album/Extras", "Many", "Names", "Other"] {
                try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
            }
            // No check takes as long as one of these.
            let sound = ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=220:duration=600:sample_rate=8000"]
            for name in ["Album/Extras/inner.wav", "Other/a.wav", "Other/b.wav"] { try run("ffmpeg", sound + [folder.file(name)]) }
            for (index, title) in ["One", "Two", "Three", "Four"].enumerated() {
                try folder.encode("Other/a.wav", to: "Album/0\(index + 1) \(title).flac", "-metadata", "title=\(title)", "-metadata", "artist=Band")
            }
            try folder.bytes("Album/list.m3u8", "03 Three.flac\n01 One.flac\n".utf8)
            try folder.wav("Many/0001.wav", Array(Noise(seconds: 1, seed: 23).frames.prefix(400)))
            for number in 2...3000 {
                try FileManager.default.linkItem(atPath: folder.file("Many/0001.wav"), toPath: folder.file(String(format: "Many/%04d.wav", number)))
            }
            for name in Self.hostileNames {
                try FileManager.default.linkItem(atPath: folder.file("Many/0001.wav"), toPath: folder.file("Names/\(name)"))
            }
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            try PageTests.browse("library.py", daemon, folder.path)
        }
    }
}
