import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Names of pictures' formats")
struct PictureNameTests {
    private static func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    private static func syncSafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (21 - 7 * $0) & 0x7F) } }

    /// The beginnings of a WebP and an AVIF picture of 64 × 48 pixels, by the names of their formats.
    private static let pictures: [String: [UInt8]] = [
        "image/webp": Array("RIFF".utf8) + [22, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 63, 0, 0, 47, 0, 0],
        "image/avif": big(16) + Array("ftypavif".utf8) + big(0) + big(20) + Array("ispe".utf8) + big(0) + big(64) + big(48),
    ]

    @Test("a WebP or AVIF picture in FLAC is offered", arguments: ["image/webp", "image/avif"])
    func flac(_ name: String) throws {
        let image = try #require(PictureNameTests.pictures[name]), number = PictureNameTests.big
        let plain = try DurationTests.bytes("picture-name", "flac", ["-c:a", "flac", "-bitexact"])
        let dimensions = number(64) + number(48) + number(24) + number(0)
        let block = number(3) + number(name.utf8.count) + Array(name.utf8) + number(0) + dimensions + number(image.count) + image
        let head = [6, UInt8(block.count >> 16), UInt8(block.count >> 8 & 255), UInt8(block.count & 255)]
        let url = try DurationTests.file("picture-\(name.suffix(4)).flac", Array(plain[..<42]) + head + block + plain[42...])
        let reader = try Reading.open(url)
        #expect(reader.info.artwork == Artwork(mimeType: name, data: image))
        #expect(try Reading.samples(reader).count == 2 * DurationTests.signal.frameCount)
    }

    @Test("a WebP or AVIF picture in the tag of MP3 and ADTS is offered", arguments: ["image/webp", "image/avif"], [3, 4] as [UInt8])
    func tags(_ name: String, _ version: UInt8) throws {
        let image = try #require(PictureNameTests.pictures[name])
        let content = [0] + Array(name.utf8) + [0, 3, 0] + image
        let size = version == 3 ? PictureNameTests.big(content.count) : PictureNameTests.syncSafe(content.count)
        let body = Array("APIC".utf8) + size + [0, 0] + content
        let tag = Array("ID3".utf8) + [version, 0, 0] + PictureNameTests.syncSafe(body.count) + body
        for (ending, codec) in [("mp3", "libmp3lame"), ("aac", "aac")] {
            let arguments = ["-c:a", codec] + (ending == "mp3" ? ["-id3v2_version", "0"] : ["-f", "adts"])
            let audio = try DurationTests.bytes("picture-name", ending, arguments)
            let url = try DurationTests.file("picture-\(name.suffix(4))-\(version).\(ending)", tag + audio)
            #expect(try Reading.open(url).info.artwork == Artwork(mimeType: name, data: image), "\(ending)")
        }
    }

    @Test("the names of 64 pictures are replaced, and FFmpeg discards the pictures after them")
    func limit() throws {
        let image = try #require(PictureNameTests.pictures["image/webp"]), number = PictureNameTests.big
        let plain = try DurationTests.bytes("picture-name", "flac", ["-c:a", "flac", "-bitexact"])
        func block(_ data: [UInt8]) -> [UInt8] {
            let content = number(3) + number(10) + Array("image/webp".utf8) + number(0) + [UInt8](repeating: 0, count: 16) + number(data.count) + data
            return [6] + number(content.count).dropFirst() + content
        }
        // Only the last picture is a picture.
        for (others, isOffered) in [(63, true), (64, false)] {
            let blocks = (0..<others).flatMap { _ in block([1, 2, 3]) } + block(image)
            let url = try DurationTests.file("pictures-\(others).flac", Array(plain[..<42]) + blocks + plain[42...])
            #expect((try Reading.open(url).info.artwork != nil) == isOffered)
        }
    }
}
