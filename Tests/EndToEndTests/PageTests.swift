import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The page", .serialized)
    struct PageTests {
        private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        @Test("in a real Chromium it opens a file, plays, pauses and seeks it, and shows the time that is heard")
        func page() throws {
            let folder = try MediaFolder()
            let noise = Noise(seconds: 60, seed: 20)
            try folder.wav("noise.wav", noise.frames)
            try folder.encode("noise.wav", to: "noise.flac", "-metadata", "title=Sixty Seconds of Noise")
            let server = try PrivatePulseServer()
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--output", "pulse", "--media-root", folder.path], on: server)
            let python = Self.checkout.appending(path: ".venv/bin/python").path
            let script = Self.checkout.appending(path: "Tests/EndToEndTests/Browser/page.py").path
            // It throws, with all that the script found, where one of its checks failed.
            try run(
                python,
                [script, "http://127.0.0.1:\(daemon.port)/", "--open", folder.url("noise.flac"), "--title", "Sixty Seconds of Noise"])
            // What the page did was heard: the file, from its start on. Opening plays, and the script's first pause may come early: it fades.
            let heard = Heard(recording.samples())
            #expect(heard.sound.count > 5 * Noise.rate)
            let beginning = heard.soundWithHoles.prefix { !$0.isSilent }.prefix(Noise.rate / 4)
            #expect(beginning.count > Noise.rate / 50)
            #expect(firstDifferenceOfSigns(beginning, noise.frames) == nil)
        }
    }
}
