import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The page without a pointer", .serialized)
    struct PageKeyboardTests {
        @Test("by the keyboard alone, thoroughly also by roles alone, every task can be done, each act is announced once, and the focus is visible")
        func keyboard() throws {
            let token = String(repeating: "a-token-", count: 4)
            let folder = try MediaFolder(), secret = try MediaFolder()
            try PageTests.makeAlbums(in: folder, seconds: 600)
            let file = try secret.bytes("token", token.utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let server = try PrivatePulseServer(modules: PageTests.devices)
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--token-file", file], on: server)
            try PageTests.browse("keyboard.py", daemon, folder.path, token)
        }

        /// The texts of the script `hostile.py`.
        private static let texts = [
            "<script>window.broken=1</script><img src=x onerror='window.broken=1'>", "🎧🎶👩‍👩‍👧‍👦",
            "أغنية الليل الطويل", String(repeating: "Long ", count: 60), String(repeating: "a", count: 300),
        ]

        @Test("markup, emoji, Arabic, 300 characters and no text at all are shown as they are, in every view, sheet and state")
        func hostileTexts() throws {
            let folder = try MediaFolder(), source = try MediaFolder(), secret = try MediaFolder()
            try source.wav("noise.wav", Noise(seconds: 60, seed: 46).frames)
            for (index, text) in (Self.texts + [""]).enumerated() {
                let tags = text.isEmpty ? [] : ["title", "artist", "album", "lyrics"].flatMap { ["-metadata", "\($0)=\(text)"] }
                try source.encode("noise.wav", to: "\(index).flac", tags)
                try FileManager.default.moveItem(atPath: source.file("\(index).flac"), toPath: folder.file("\(index).flac"))
            }
            let chapters = Self.texts.enumerated().map { index, text in
                "[CHAPTER]\nTIMEBASE=1/1\nSTART=\(index * 10)\nEND=\(index * 10 + 10)\ntitle=\(text.replacing("=", with: "\\="))\n"
            }
            try source.bytes("chapters.txt", Array((";FFMETADATA1\n" + chapters.joined()).utf8))
            let inputs = ["-i", source.file("noise.wav"), "-i", source.file("chapters.txt"), "-map_metadata", "1"]
            try run("ffmpeg", ["-y", "-nostdin", "-v", "error"] + inputs + [folder.file("book.m4a")])
            let file = try secret.bytes("token", String(repeating: "a-token-", count: 4).utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            let closed = try Daemon(serving: ["--output", "null", "--media-root", folder.path, "--token-file", file])
            try PageTests.browse("hostile.py", daemon, folder.path, "http://127.0.0.1:\(closed.port)/")
        }
    }
}
