import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The page", .serialized)
    struct PageTests {
        static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        /// The modules of a sound server with the devices Desk and Bathroom.
        static let devices = ["Desk", "Bathroom"].map { "module-null-sink sink_name=\($0) sink_properties=device.description=\($0)" }

        /// Makes the folders First and Second, with the songs One and Two, and Three and Four, whose titles are those names.
        static func makeAlbums(in folder: MediaFolder, seconds: Int) throws {
            for (index, name) in ["First/One", "First/Two", "Second/Three", "Second/Four"].enumerated() {
                let parts = name.split(separator: "/")
                try FileManager.default.createDirectory(atPath: folder.file(String(parts[0])), withIntermediateDirectories: true)
                let sound = ["-f", "lavfi", "-i", "sine=\(220 + 50 * index):duration=\(seconds)"]
                let tags = ["-metadata", "title=\(parts[1])", "-metadata", "album=\(parts[0])", "-metadata", "artist=Band"]
                try run("ffmpeg", ["-y", "-nostdin", "-v", "error"] + sound + tags + [folder.file(name + ".flac")])
            }
        }

        /// Runs a script of the folder `Browser`, which opens the page of a running program in a real browser.
        static func browse(_ script: String, _ daemon: Daemon, _ arguments: String...) throws { try browse(script, daemon, arguments) }

        static func browse(_ script: String, _ daemon: Daemon, _ arguments: [String]) throws {
            let path = checkout.appending(path: "Tests/EndToEndTests/Browser/\(script)").path
            try run(checkout.appending(path: ".venv/bin/python").path, [path, "http://127.0.0.1:\(daemon.port)/"] + arguments)
        }

        @Test("in a real Chromium the page opens, plays, pauses and seeks a file, and shows the heard position")
        func page() throws {
            let folder = try MediaFolder()
            let noise = Noise(seconds: 60, seed: 20)
            try folder.wav("noise.wav", noise.frames)
            try folder.encode("noise.wav", to: "noise.flac", "-metadata", "title=Sixty Seconds of Noise")
            let server = try PrivatePulseServer()
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--output", "pulse", "--media-root", folder.path], on: server)
            // If a check of the script fails, `browse` throws an error with all findings.
            try Self.browse("page.py", daemon, "--open", folder.url("noise.flac"), "--title", "Sixty Seconds of Noise")
            // The file was heard from its start. Opening it starts playback. The first pause of the script may follow early, and its fade changes
            // samples.
            let heard = Heard(recording.samples())
            #expect(heard.sound.count > 5 * Noise.rate)
            let beginning = heard.soundWithHoles.prefix(Noise.rate / 4).prefix { !$0.isSilent }
            #expect(beginning.count > Noise.rate / 50)
            #expect(SampleComparison.firstDifferenceOfSigns(beginning, noise.frames) == nil)
        }

        @Test("on a phone the layout is still, sliders let a finger scroll, Undo restores the queue, and pictures are shown")
        func phone() throws {
            let (source, folder) = (try MediaFolder(), try MediaFolder())
            try source.wav("noise.wav", Noise(seconds: 60, seed: 21).frames)
            for name in ["a", "b", "c", "d"] {
                let picture = source.file(name == "d" ? "cover.gif" : "cover.png")
                try run("ffmpeg", ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=red:size=1200x1200", "-frames:v", "1", picture])
                let cover = ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"]
                // The file with a GIF is an MP3 file, because FLAC cannot contain a GIF.
                let file = name == "d" ? "d.mp3" : "\(name).flac"
                try source.encode("noise.wav", to: file, cover + ["-metadata", "title=\(name)"])
                try FileManager.default.moveItem(atPath: source.file(file), toPath: folder.file(file))
            }
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            try Self.browse("phone.py", daemon, folder.path)
        }

        @Test("lyrics follow playback, a tap on a line seeks, and an item without lyrics shows none")
        func lyrics() throws {
            let folder = try MediaFolder()
            for name in ["sung.wav", "long.wav", "none.wav"] { try folder.wav(name, Noise(seconds: 40, seed: 22).frames) }
            let text = "First verse\nfirst refrain\n\nSecond verse"
            try folder.encode("none.wav", to: "plain.flac", "-metadata", "LYRICS=\(text)")
            try folder.bytes("sung.lrc", Self.lyrics((0..<20).map { (Double($0) * 2, "Line \($0)") }))
            try folder.bytes("long.lrc", Self.lyrics((0..<10_000).map { (Double($0) * 0.004, "Part \($0)") }))
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            try Self.browse("lyrics.py", daemon, folder.path)
        }

        /// Returns the content of an `.lrc` file.
        private static func lyrics(_ lines: [(time: Double, text: String)]) -> [UInt8] {
            Array(lines.map { String(format: "[00:%06.3f]", $0.time) + $0.text + "\n" }.joined().utf8)
        }
    }
}
