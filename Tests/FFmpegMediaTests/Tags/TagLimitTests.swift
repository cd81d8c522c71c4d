import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Limits of reported tags and chapters")
struct TagLimitTests {
    /// Makes a medium with the tags and chapters of an ffmetadata file, whose text is `metadata`.
    private static func tagged(_ name: String, _ metadata: String) throws -> URL {
        let sound = try TestMedia.shared.encoded(TestSignal(frameCount: 4410), as: "limited-tags", "mka", ["-c:a", "flac"])
        let text = try TestMedia.shared.file("limited-\(name).txt") { try Data((";FFMETADATA1\n" + metadata).utf8).write(to: $0) }
        return try TestMedia.shared.file("limited-\(name).mka") {
            try TestMedia.ffmpeg([
                "-i", sound.path, "-f", "ffmetadata", "-i", text.path, "-map_metadata", "1", "-map_chapters", "1", "-c", "copy", $0.path,
            ])
        }
    }

    @Test("a key of more than 256 bytes is omitted, and the others are kept")
    func keys() throws {
        let reader = try Reading.open(
            Self.tagged("keys", "\(String(repeating: "k", count: 257))=long\n\(String(repeating: "K", count: 256))=fits\ntitle=Song\n"))
        let keys = Set(reader.info.metadata.map(\.key))
        #expect(keys.isSuperset(of: ["title", String(repeating: "k", count: 256)]))
        #expect(!keys.contains(String(repeating: "k", count: 257)))
    }

    @Test("tags have 1 MiB in total, and those beyond are omitted")
    func total() throws {
        let value = String(repeating: "v", count: 60_000)
        let reader = try Reading.open(Self.tagged("total", (0..<30).map { "tag\($0)=\(value)\n" }.joined()))
        let bytes = reader.info.metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        #expect(bytes > 900_000 && bytes <= 1 << 20)
    }

    @Test("chapter titles have 1 MiB in total: all chapters are kept, titles beyond are omitted")
    func chapters() throws {
        let title = String(repeating: "t", count: 60_000)
        let text = (0..<30).map { "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0)\nEND=\($0 + 1)\ntitle=\(title)\n" }.joined()
        let chapters = try Reading.open(Self.tagged("chapters", text)).info.chapters
        #expect(chapters.count == 30)
        #expect((15...17).contains(chapters.count { !$0.title.isEmpty }))
    }
}
