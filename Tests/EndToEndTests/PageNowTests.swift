import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("The view Now of the page", .serialized)
    struct PageNowTests {
        /// Makes a file of three minutes, whose title is that of a song.
        private static func song(in folder: MediaFolder) throws {
            try run(
                "ffmpeg",
                ["-y", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=220:duration=180", "-metadata", "title=Song", folder.file("song.flac")])
        }

        @Test("on a touch screen, random taps and swipes never raise the volume suddenly, and no vertical swipe seeks")
        func touch() throws {
            let folder = try MediaFolder()
            try Self.song(in: folder)
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            try PageTests.browse("touch.py", daemon, folder.url("song.flac"), "--gestures", TestDepth.isThorough ? "200" : "50")
        }

        @Test("without the guards of the sliders, the same taps and swipes raise the volume and seek")
        func touchWithoutGuards() throws {
            let folder = try MediaFolder()
            try Self.song(in: folder)
            let page = PageTests.checkout.appending(path: "web").path
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path, "--web", page])
            try PageTests.browse("touch.py", daemon, folder.url("song.flac"), "--gestures", "20", "--unguarded")
        }

        @Test("the sound follows a finger that scrubs on the waveform, with one seek in flight")
        func scrubbing() throws {
            let folder = try MediaFolder()
            // Both channels are equal, because the recording has one.
            try folder.wav("noise.wav", Noise(seconds: 300, seed: 44).mono.frames)
            let server = try PrivatePulseServer()
            let daemon = try Daemon(serving: ["--output", "pulse", "--media-root", folder.path], on: server)
            try PageTests.browse(
                "scrubbing.py", daemon, folder.file("noise.wav"), "--pulse", server.address, "--sink", PrivatePulseServer.sinkName)
        }

        @Test("the volume and the sample rate of an output device are shown and changed, and follow other programs")
        func devices() throws {
            let folder = try MediaFolder()
            try Self.song(in: folder)
            let server = try PrivatePulseServer()
            let daemon = try Daemon(serving: ["--output", "pulse", "--media-root", folder.path], on: server)
            try PageTests.browse(
                "devices.py", daemon, folder.file("song.flac"), "--pulse", server.address, "--sink", PrivatePulseServer.sinkName)
        }

        private static let windows: [[String]] = TestDepth.isThorough ? [[], ["--desk"]] : [[]]

        @Test("ten tasks of new users take at most four taps on a phone, thoroughly also four clicks on a desk, by role and name", arguments: windows)
        func tasks(window: [String]) throws {
            let folder = try MediaFolder()
            try PageTests.makeAlbums(in: folder, seconds: 600)
            let server = try PrivatePulseServer(modules: PageTests.devices)
            let daemon = try Daemon(serving: ["--media-root", folder.path], on: server)
            try PageTests.browse("tasks.py", daemon, [folder.path] + window)
        }
    }
}
