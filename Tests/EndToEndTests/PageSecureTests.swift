import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The page at secure and insecure addresses", .serialized)
    struct PageSecureTests {
        @Test("what needs a secure address works there: worker, installation, screen lock, small window, shared links; elsewhere it is not offered")
        func secure() throws {
            let token = String(repeating: "a-token-", count: 4)
            let folder = try MediaFolder(), secret = try MediaFolder(), source = try MediaFolder()
            try source.wav("noise.wav", Noise(seconds: 60, seed: 45).frames)
            let picture = source.file("cover.png")
            try run("ffmpeg", ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=600x600", "-frames:v", "1", picture])
            let cover = ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"]
            for name in ["a", "b"] {
                try source.encode("noise.wav", to: "\(name).flac", cover + ["-metadata", "title=\(name)"])
                try FileManager.default.moveItem(atPath: source.file("\(name).flac"), toPath: folder.file("\(name).flac"))
            }
            let file = try secret.bytes("token", token.utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            let closed = try Daemon(
                serving: ["--output", "null", "--media-root", folder.path, "--token-file", file, "--allow-host", "name.test"])
            try PageTests.browse("secure.py", daemon, folder.path, "http://127.0.0.1:\(closed.port)/", token)
        }
    }
}
