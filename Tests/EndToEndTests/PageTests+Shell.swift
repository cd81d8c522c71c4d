import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests.PageTests {
    @Test("the layout of every view stays still on a phone, a desk and a television")
    func stillViews() throws { try browseViews("stays_still") }

    @Test("every view has all texts in German and Arabic, and is not too wide")
    func languages() throws { try browseViews("speaks") }

    @Test("no view has barriers, on a phone and a desk, in three languages and both themes")
    func barriers() throws { try browseViews("has_no_barriers") }

    @Test("hostile titles are shown as they are in every view")
    func hostileTitles() throws { try browseViews("shows_hostile_titles") }

    @Test("views have addresses, and are unlocked by the token")
    func entrances() throws { try browseViews("entrance") }

    @Test("language, theme, keys, sheets and the idle screen obey the user")
    func controls() throws { try browseViews("controls") }

    /// Runs one group of the checks of `shell.py`.
    private func browseViews(_ group: String) throws {
        let token = String(repeating: "a token ", count: 4).replacing(" ", with: "-")
        let folder = try MediaFolder(), secret = try MediaFolder(), source = try MediaFolder()
        try source.wav("noise.wav", Noise(seconds: 60, seed: 23).frames)
        let picture = source.file("cover.png")
        try run("ffmpeg", ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=600x600", "-frames:v", "1", picture])
        let cover = ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"]
        let texts = ["title=<b>Salt</b>", "artist=<img src=x onerror=alert(1)>", "album=\(String(repeating: "ليالي ", count: 40))"]
        try source.encode("noise.wav", to: "a.flac", cover + texts.flatMap { ["-metadata", $0] })
        for name in ["a", "b", "c", "d", "e", "f"] {
            try FileManager.default.copyItem(atPath: source.file("a.flac"), toPath: folder.file("\(name).flac"))
        }
        let file = try secret.bytes("token", token.utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
        let closed = try Daemon(serving: ["--output", "null", "--media-root", folder.path, "--token-file", file])
        try Self.browse("shell.py", daemon, folder.path, "http://127.0.0.1:\(closed.port)/", token, "--only", group)
    }
}
