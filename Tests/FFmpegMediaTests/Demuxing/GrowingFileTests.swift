import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Files that grow while they are played (R-NET-14)")
struct GrowingFileTests {
    @Test(
        "a recording in progress is read as far as it has grown when its end is reached",
        arguments: [
            ("ts", ["-c:a", "mp2", "-f", "mpegts"]), ("mp3", ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "-f", "mp3"]),
            ("aac", ["-c:a", "aac", "-f", "adts"]), ("ogg", ["-c:a", "libvorbis", "-f", "ogg"]), ("opus", ["-c:a", "libopus", "-f", "ogg"]),
            ("flac", ["-c:a", "flac", "-f", "flac"]), ("mka", ["-c:a", "flac", "-f", "matroska"]), ("wav", ["-c:a", "pcm_s16le", "-f", "wav"]),
        ])
    func recording(_ name: String, _ arguments: [String]) throws {
        let url = try TestMedia.shared.file("growing.\(name)") { url in
            // A recorder cannot state the length in the header of a file that is not complete. So ffmpeg writes to a pipe, where it cannot either.
            let input = ["-f", "lavfi", "-i", "anoisesrc=d=16:a=0.3:seed=5:r=48000", "-ac", "2"]
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["ffmpeg", "-v", "error", "-nostdin"] + input + arguments + ["-"]
            _ = FileManager.default.createFile(atPath: url.path, contents: nil)
            process.standardOutput = try FileHandle(forWritingTo: url)
            try process.run()
            process.waitUntilExit()
        }
        let bytes = try Data(contentsOf: url)
        let growing = url.deletingPathExtension().appendingPathExtension("part.\(name)")
        try bytes.prefix(bytes.count / 2).write(to: growing)
        let reader = try Reading.open(growing)
        var samples: [Float] = []
        while samples.count < 100_000, let block = try reader.read() { samples += block.samples }
        let handle = try FileHandle(forWritingTo: growing)
        try handle.seekToEnd()
        try handle.write(contentsOf: bytes.suffix(from: bytes.count / 2))
        try handle.close()
        samples += try Reading.samples(reader)
        let whole = try Reading.samples(Reading.open(url))
        #expect(samples.count == whole.count)
        #expect(samples[...] == whole.prefix(samples.count))
    }
}
