import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests.PageTests {
    @Test("every view works on a phone, a desk and a television, in three languages and both themes, with hostile titles and without barriers")
    func shell() throws {
        let token = String(repeating: "a token ", count: 4).replacing(" ", with: "-")
        let folder = try MediaFolder(), secret = try MediaFolder(), source = try MediaFolder()
        try source.wav("noise.wav", Noise(seconds: 60, seed: 23).frames)
        let picture = source.file("cover.png")
        try run("ffmpeg", ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=600x600", "-frames:v", "1", picture])
        let cover = ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"]
        let texts = ["title=<b>Salt</b>", "artist=<img src=x onerror=alert(1)>", "album=\(String(repeating: "ليالي ", count: 40))"]
        for name in ["a", "b", "c", "d", "e", "f"] {
            try source.encode("noise.wav", to: "\(name).flac", cover + texts.flatMap { ["-metadata", $0] })
            try FileManager.default.moveItem(atPath: source.file("\(name).flac"), toPath: folder.file("\(name).flac"))
        }
        let file = try secret.bytes("token", token.utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
        let closed = try Daemon(serving: ["--output", "null", "--media-root", folder.path, "--token-file", file])
        try Self.browse("shell.py", daemon, folder.path, "http://127.0.0.1:\(closed.port)/", token)
    }
}
