import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Measures times, so it runs alone.
    @Suite("Changes that the view Now shows", .serialized)
    struct PageChangeTests {
        @Test("the waveform, the chapters and the sheets show and change what the player does, and every change by another client is visible")
        func now() throws {
            let folder = try MediaFolder()
            let titles = ["Prologue", "The Storm", "A Letter", "The Long Way Home", "Night Watch", "The Keeper", "Low Tide", "Epilogue"]
            let chapters = titles.enumerated().map { "[CHAPTER]\nTIMEBASE=1/1\nSTART=\($0 * 900)\nEND=\($0 * 900 + 900)\ntitle=\($1)\n" }
            try folder.bytes("chapters.txt", Array((";FFMETADATA1\ntitle=The Lighthouse Keeper\n" + chapters.joined()).utf8))
            // The level changes every few minutes, so that the waveform has a shape. Two hours of the same four minutes are encoded in a second, and
            // not in a minute.
            let sound = "sine=220:duration=240:sample_rate=22050,volume='0.2+0.8*abs(sin(t/40))':eval=frame"
            let source = try MediaFolder(), quiet = ["-y", "-nostdin", "-v", "error"]
            try run("ffmpeg", quiet + ["-f", "lavfi", "-i", sound, source.file("part.aac")])
            let parts = "concat:" + Array(repeating: source.file("part.aac"), count: 30).joined(separator: "|")
            let inputs = ["-i", parts, "-i", folder.file("chapters.txt"), "-map_metadata", "1"]
            try run("ffmpeg", quiet + inputs + ["-c", "copy", "-t", "7200", folder.file("book.m4a")])
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            // `script/bench` measures the exact figures.
            try PageTests.browse("now.py", daemon, folder.file("book.m4a"), "--tolerance", "150")
        }
    }
}
