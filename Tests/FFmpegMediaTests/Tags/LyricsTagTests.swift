import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Tags with lyrics")
struct LyricsTagTests {
    private static let text = "[00:01.00]Éins\n[00:02.00]Zwei"

    @Test(
        "lyrics are read with their line ends from Vorbis comments and from MP4",
        arguments: [
            ("flac", "flac", "LYRICS", "lyrics"), ("ogg", "libvorbis", "UNSYNCEDLYRICS", "unsyncedlyrics"), ("m4a", "aac", "lyrics", "lyrics"),
        ])
    func comments(_ ending: String, _ codec: String, _ key: String, _ expected: String) throws {
        let arguments = ["-c:a", codec, "-metadata", "\(key)=\(LyricsTagTests.text)"]
        let info = try Reading.open(TestMedia.shared.encoded(MetadataTests.signal, as: "lyrics", ending, arguments)).info
        #expect(info.tag(expected) == OuterText(LyricsTagTests.text))
    }

    @Test("a USLT frame of MP3 has its language in its key")
    func frame() throws {
        func syncSafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (21 - 7 * $0) & 0x7F) } }
        // The frame has the text encoding 3 (UTF-8), the language "deu", an empty description, and the lyrics.
        let content = [3] + Array("deu".utf8) + [0] + Array(LyricsTagTests.text.utf8)
        let body = Array("USLT".utf8) + syncSafe(content.count) + [0, 0] + content
        let tag = Array("ID3".utf8) + [4, 0, 0] + syncSafe(body.count) + body
        let audio = try Data(contentsOf: TestMedia.shared.encoded(MetadataTests.signal, as: "plain-lyrics", "mp3", ["-id3v2_version", "0"]))
        let url = try TestMedia.shared.file("uslt.mp3") { try (Data(tag) + audio).write(to: $0) }
        #expect(try Reading.open(url).info.tag("lyrics-deu") == OuterText(LyricsTagTests.text))
    }
}
