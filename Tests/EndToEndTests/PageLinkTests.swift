import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests.PageTests {
    @Test("if the path drops bytes, the program is stopped or the page sleeps, the clock of the page stops, and afterwards it shows the truth again")
    func disturbedLink() throws {
        let folder = try MediaFolder()
        try folder.wav("noise.wav", Noise(seconds: 180, seed: 23).frames)
        let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
        try Self.browse(
            "link.py", daemon, "--pid", String(daemon.process.processIdentifier), "--open", folder.url("noise.wav"), "--runs", "5", "--sleep", "5")
    }

    @Test("eight or thoroughly twelve tabs load, hidden ones little, and all show a press; a step in a long queue costs few bytes")
    func manyTabs() throws {
        let folder = try MediaFolder()
        for name in ["a.wav", "b.wav"] { try folder.wav(name, Noise(seconds: 120, seed: 24).frames) }
        let picture = folder.file("cover.png")
        try run("ffmpeg", ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=600x600", "-frames:v", "1", picture])
        let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
        // Eight are more than the connections that a browser opens to one server.
        let tabs = TestDepth.isThorough ? "12" : "8"
        try Self.browse("tabs.py", daemon, folder.url("a.wav"), folder.url("b.wav"), "--tabs", tabs)
    }
}
