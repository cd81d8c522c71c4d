import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The contrast of the page", .serialized)
    struct PageContrastTests {
        @Test("every text and icon has enough contrast with the pixels behind it, in every view, state and theme, over light, dark and noisy covers")
        func contrast() throws {
            let folder = try MediaFolder(), secret = try MediaFolder(), source = try MediaFolder()
            try source.wav("noise.wav", Noise(seconds: 60, seed: 46).frames)
            let picture = source.file("cover.png")
            try run("ffmpeg", ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=600x600", "-frames:v", "1", picture])
            let cover = ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"]
            for name in ["a", "b", "c"] {
                try source.encode("noise.wav", to: "\(name).flac", cover + ["-metadata", "title=Song \(name)", "-metadata", "artist=Artist"])
                try FileManager.default.moveItem(atPath: source.file("\(name).flac"), toPath: folder.file("song-\(name).flac"))
            }
            try folder.bytes("Damaged.flac", Array("fLaC".utf8) + [UInt8](repeating: 0, count: 2000))
            let file = try secret.bytes("token", String(repeating: "a-token-", count: 4).utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            let closed = try Daemon(serving: ["--output", "null", "--media-root", folder.path, "--token-file", file])
            // PAGE_COVERS=50 measures all covers.
            try PageTests.browse("contrast.py", daemon, folder.path, "http://127.0.0.1:\(closed.port)/")
        }
    }
}
