import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Sparse files: some seconds of audio, and then a hole of 300 GB, in which a demuxer would search for the next frame for hours.
    @Suite("Files with a hole", .serialized)
    struct HoleTests {
        private let folder: MediaFolder
        private let daemon: Daemon

        init() throws {
            folder = try MediaFolder()
            daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            try folder.wav("noise.wav", Noise(seconds: 4, seed: 5).frames)
        }

        /// Makes a file of which only the first three seconds are left, and returns the URL.
        private func makeHole(_ kind: String) throws -> String {
            let name = "hole.\(kind)"
            try folder.encode("noise.wav", to: name)
            let size = try Data(contentsOf: URL(filePath: folder.file(name))).count
            let handle = try FileHandle(forUpdating: URL(filePath: folder.file(name)))
            try handle.truncate(atOffset: UInt64(size * 3 / 4))
            try handle.truncate(atOffset: 300_000_000_000)
            try handle.close()
            return folder.url(name)
        }

        /// Lists a file with a hole and an ordinary one.
        private func list(_ kind: String, play: Bool) throws -> [String] {
            let hole = try makeHole(kind), entries = [["url": hole], ["url": folder.url("noise.wav")]]
            try daemon.client.command("PUT", "/queue", ["entries": entries, "play": play])
            let listed = try #require(try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [[String: Any]])
            return listed.compactMap { $0["id"] as? String }
        }

        private static let kinds = TestDepth.isThorough ? ["mp3", "aac", "flac", "ogg", "mka", "ts", "wv", "ac3", "mp2"] : ["mp3", "ogg"]

        @Test("after the audio before the hole, the next entry plays", arguments: kinds)
        func next(_ kind: String) throws {
            _ = try list(kind, play: true)
            try eventually("the next entry plays", within: 120) {
                let item = try daemon.client.state()["currentItem"] as? [String: Any]
                return item?["url"] as? String == folder.url("noise.wav") ? true : nil
            }
        }

        @Test("the waveform of a file with a hole ends with an error, and that of another file completes")
        func waveforms() throws {
            let ids = try list("mp3", play: false)
            try #require(ids.count == 2)
            _ = try daemon.client.send("GET", "/api/v1/items/\(ids[0])/waveform?points=10&wait=0")
            try eventually("the other waveform completes", within: 120) {
                try daemon.client.send("GET", "/api/v1/items/\(ids[1])/waveform?points=10&wait=20").json["isComplete"] as? Bool == true ? true : nil
            }
            let status = try eventually("its waveform ends", within: 120) {
                let answer = try daemon.client.send("GET", "/api/v1/items/\(ids[0])/waveform?points=10&wait=20")
                return [200, 409].contains(answer.status) ? nil : answer.status
            }
            #expect(status >= 400)
        }
    }
}
