import FFmpegMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@Suite("Tags, chapters and pictures")
struct MetadataTests {
    static let signal = TestSignal(frameCount: 44_100)
    static let tags = ["-metadata", "title=Ein Stück ☃", "-metadata", "artist=Someone", "-metadata", "album=Work", "-metadata", "track=3/9"]

    /// Makes a small PNG or JPEG file with ffmpeg.
    static func picture(_ ending: String) throws -> URL {
        try TestMedia.shared.file("cover.\(ending)") { try TestMedia.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1", $0.path]) }
    }

    @Test(
        "title, artist, album and track are read from every container (R-ASSET-14)",
        arguments: [
            ("flac", ["-c:a", "flac"]), ("mp3", ["-c:a", "libmp3lame"]), ("m4a", ["-c:a", "aac"]), ("ogg", ["-c:a", "libvorbis"]),
            ("opus", ["-c:a", "libopus"]), ("mka", ["-c:a", "flac"]), ("wv", ["-c:a", "wavpack"]), ("wma", ["-c:a", "wmav2"]),
        ])
    func tags(_ ending: String, _ codec: [String]) throws {
        let url = try TestMedia.shared.encoded(MetadataTests.signal, as: "tags", ending, codec + MetadataTests.tags)
        let info = try Reading.open(url).info
        #expect(info.tag("title") == "Ein Stück ☃")
        #expect(info.tag("artist") == "Someone")
        #expect(info.tag("album") == "Work")
        #expect(info.tag("track")?.utf8.first == UInt8(ascii: "3"))
        #expect(Set(info.metadata.map(\.key)).count == info.metadata.count, "each key once")
    }

    @Test("an attached picture is unchanged, with the type detected from its bytes", arguments: ["flac", "mp3", "m4a"], ["png", "jpg"])
    func artwork(_ ending: String, _ kind: String) throws {
        let cover = try MetadataTests.picture(kind)
        let codec = ["flac": "flac", "mp3": "libmp3lame", "m4a": "aac"][ending] ?? ""
        let url = try TestMedia.shared.file("art-\(kind).\(ending)") { url in
            try TestMedia.ffmpeg([
                "-i", TestMedia.shared.wave(MetadataTests.signal).path, "-i", cover.path, "-map", "0:a", "-map", "1:v", "-c:a", codec, "-c:v", "copy",
                "-disposition:v", "attached_pic", "-metadata:s:v", "comment=Cover (front)", url.path,
            ])
        }
        let reader = try Reading.open(url)
        let artwork = try #require(reader.info.artwork)
        #expect(artwork.mimeType == (kind == "png" ? "image/png" : "image/jpeg"))
        #expect(try artwork.data == [UInt8](Data(contentsOf: cover)))
        // The picture is not read as audio: all samples of the recording are delivered.
        #expect(try Reading.samples(reader).count > 2 * 44_000)
    }

    @Test("Ogg's METADATA_BLOCK_PICTURE is read")
    func oggArtwork() throws {
        let image = try [UInt8](Data(contentsOf: MetadataTests.picture("png")))
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let type = Array("image/png".utf8)
        let block = number(3) + number(type.count) + type + number(0) + number(64) + number(64) + number(24) + number(0) + number(image.count) + image
        let arguments = ["-c:a", "libvorbis", "-metadata:s:a", "METADATA_BLOCK_PICTURE=\(Data(block).base64EncodedString())"]
        let info = try Reading.open(TestMedia.shared.encoded(MetadataTests.signal, as: "picture", "ogg", arguments)).info
        #expect(info.artwork == Artwork(mimeType: "image/png", data: image))
        #expect(info.tag("metadata_block_picture") == nil, "a picture is not a text tag")
    }

    @Test("a picture of more than 16 MiB and an invalid one are ignored; the audio plays")
    func badArtwork() throws {
        for (name, size) in [("huge", 50 << 20), ("text", 4000)] {
            var image: [UInt8] = name == "huge" ? [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] : Array("<html>".utf8)
            image += [UInt8](repeating: 0, count: size)
            func syncSafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (21 - 7 * $0) & 0x7F) } }
            let frame = [0] + Array("image/png".utf8) + [0, 3, 0] + image
            let body = Array("APIC".utf8) + syncSafe(frame.count) + [0, 0] + frame
            let tag = Array("ID3".utf8) + [4, 0, 0] + syncSafe(body.count) + body
            let sound = try [UInt8](
                Data(
                    contentsOf: TestMedia.shared.encoded(
                        MetadataTests.signal, as: "plain", "mp3", ["-c:a", "libmp3lame", "-id3v2_version", "0"])))
            let url = try TestMedia.shared.file("art-\(name).mp3") { try Data(tag + sound).write(to: $0) }
            let notes = Mutex<[String]>([])
            let opener = FFmpegOpener(note: { note in notes.withLock { $0.append(note) } })
            let reader = try opener.open(MediaSource(.file(path: url.path)), interrupt: Interrupt())
            #expect(reader.info.artwork == nil)
            #expect(notes.withLock { $0.count } == (name == "huge" ? 1 : 0), "an omission because of size is logged")
            #expect(try Reading.samples(reader).count == 2 * 44_100)
        }
    }

    @Test("a comment that is not UTF-8 is windows-1252 (Encoding Standard, 4.2), and the others are UTF-8")
    func invalidText() throws {
        // The test inserts a block of Vorbis comments of its own into a FLAC file.
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(MetadataTests.signal, as: "text", "flac", ["-c:a", "flac", "-bitexact"])))
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let comments: [[UInt8]] = [Array("ARTIST=Right".utf8), Array("TITLE=Don".utf8) + [0x92, 0x74, 0xFC], Array("ALBUM=Gr\u{FC}n".utf8)]
        let block = little(0) + little(comments.count) + comments.flatMap { little($0.count) + $0 }
        let header: [UInt8] = [4, UInt8(block.count >> 16), UInt8(block.count >> 8 & 255), UInt8(block.count & 255)]
        let url = try TestMedia.shared.file("text.flac") { try Data(plain[..<42] + header + block + plain[42...]).write(to: $0) }
        let info = try Reading.open(url).info
        #expect(info.tag("artist") == "Right")
        #expect(info.tag("album") == "Grün")
        #expect(info.tag("title") == "Don’tü")
    }

    @Test("text of 8 bits in ID3v1, ID3v2, RIFF and AIFF is windows-1252 (R-ASSET-19)", arguments: ["id3v1", "id3v2", "wav", "aiff"])
    func eightBits(_ kind: String) throws {
        let text: [UInt8] = Array("Don".utf8) + [0x92, 0x74, 0x20, 0x96, 0x20, 0x46, 0xFC, 0xDF, 0x65, 0x20, 0x80, 0x31]
        let ending = kind.hasPrefix("id3") ? "mp3" : kind
        let codec = ["wav": "pcm_s16le", "aiff": "pcm_s16be"][kind] ?? "libmp3lame"
        let options = ["-c:a", codec, "-bitexact"] + (ending == "mp3" ? ["-id3v2_version", "0"] : [])
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(MetadataTests.signal, as: "eight-bits", ending, options)))
        func chunk(_ name: String, _ content: [UInt8], isBig: Bool) -> [UInt8] {
            let size = AudioTag.big(content.count, 4)
            return Array(name.utf8) + (isBig ? size : size.reversed()) + content + (content.count % 2 == 0 ? [] : [0])
        }
        let bytes: [UInt8]
        switch kind {
        case "id3v1": bytes = plain + Array("TAG".utf8) + text + [UInt8](repeating: 0, count: 125 - text.count)
        case "id3v2":
            let frame = Array("TALB".utf8) + AudioTag.big(text.count + 1, 4) + [0, 0, 0] + text
            bytes = AudioTag.id3v2(3, rest: frame) + plain
        case "wav": bytes = plain + chunk("LIST", Array("INFO".utf8) + chunk("INAM", text, isBig: false), isBig: false)
        default: bytes = Array(plain[..<12]) + chunk("NAME", text, isBig: true) + plain[12...]
        }
        let info = try Reading.open(DurationTests.file("eight-bits-\(kind).\(ending)", bytes)).info
        #expect(info.tag(kind == "id3v2" ? "album" : "title") == "Don’t – Füße €1")
    }

    @Test("chapters have their titles and times")
    func chapters() throws {
        let text =
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=400\nEND=1000\ntitle=Two\n"
        let list = try TestMedia.shared.file("chapters.txt") { try Data(text.utf8).write(to: $0) }
        let url = try TestMedia.shared.encoded(
            MetadataTests.signal, as: "chapters", "mka", ["-i", list.path, "-map", "0:a", "-map_chapters", "1", "-c:a", "flac"])
        let chapters = try Reading.open(url).info.chapters
        #expect(chapters.map(\.title) == ["One", "Two"])
        #expect(chapters.map(\.start) == [0, 0.4])
        #expect(chapters.map(\.end) == [0.4, 1])
    }

    @Test(
        "a chapter of ID3v2 that does not end after its start lasts until the next one, the last one until the end (R-ASSET-20)",
        arguments: [0, 100, 0xFFFF_FFFF])
    func endlessChapters(_ end: Int) throws {
        // The frames are not in order of time.
        let frames = [(0, "One"), (600, "Three"), (300, "Two")].flatMap { start, title -> [UInt8] in
            let text: [UInt8] = [3] + Array(title.utf8), stated = end == 100 ? max(0, start - end) : end
            var content: [UInt8] = Array("c\(start)".utf8) + [0]
            content += AudioTag.big(start, 4) + AudioTag.big(stated, 4) + [UInt8](repeating: 0xFF, count: 8)
            content += Array("TIT2".utf8) + AudioTag.big(text.count, 4) + [0, 0] + text
            return Array("CHAP".utf8) + AudioTag.big(content.count, 4) + [0, 0] + content
        }
        let options = ["-c:a", "libmp3lame", "-id3v2_version", "0"]
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(MetadataTests.signal, as: "chapterless", "mp3", options)))
        let info = try Reading.open(DurationTests.file("endless-\(end).mp3", AudioTag.id3v2(3, rest: frames) + plain)).info
        #expect(info.chapters.map(\.title) == ["One", "Two", "Three"])
        #expect(info.chapters.map(\.start) == [0, 0.3, 0.6] && info.chapters.map(\.end) == [0.3, 0.6, 1])
    }

    @Test("text in UTF-16 without a byte order mark is read by its bytes (R-ASSET-19)", arguments: [true, false], ["TALB", "TXXX", "COMM"])
    func unmarkedText(_ isBig: Bool, _ name: String) throws {
        let text = name == "TALB" ? "Füße ☃" : "key\0Füße ☃"
        let bytes = text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let content: [UInt8] = [1] + (name == "COMM" ? Array("eng".utf8) : []) + bytes
        let frame = Array(name.utf8) + AudioTag.big(content.count, 4) + [0, 0] + content
        let options = ["-c:a", "libmp3lame", "-id3v2_version", "0"]
        let plain = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(MetadataTests.signal, as: "chapterless", "mp3", options)))
        let info = try Reading.open(DurationTests.file("unmarked-\(isBig)-\(name).mp3", AudioTag.id3v2(3, rest: frame) + plain)).info
        #expect(info.metadata.contains { $0.value == "Füße ☃" })
    }

    @Test("bit rate, encoder delay and padding are reported")
    func numbers() throws {
        let mp3 = try Reading.open(TestMedia.shared.encoded(MetadataTests.signal, as: "numbers", "mp3", ["-c:a", "libmp3lame", "-b:a", "128k"])).info
        #expect(mp3.encoderDelay == 1105)
        #expect((44_100 + 1105 + mp3.encoderPadding) % 1152 == 0)
        #expect(abs((mp3.bitRate ?? 0) - 128_000) < 8000)
        let aac = try Reading.open(TestMedia.shared.encoded(MetadataTests.signal, as: "numbers", "m4a", ["-c:a", "aac"])).info
        #expect(aac.encoderDelay == 1024)
        #expect(aac.bitsPerSample == nil)
    }
}
