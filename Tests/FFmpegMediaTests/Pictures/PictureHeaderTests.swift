import Foundation
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Picture headers")
struct PictureHeaderTests {
    private func header(_ bytes: [UInt8]) -> PictureHeader? { bytes.withUnsafeBufferPointer { PictureHeader($0) } }

    @Test(
        "the header gives the kind and the dimensions",
        arguments: [
            ("png", [], "image/png"), ("jpg", [], "image/jpeg"), ("gif", [], "image/gif"), ("bmp", [], "image/bmp"), ("tiff", [], "image/tiff"),
            ("webp", [], "image/webp"), ("webp", ["-lossless", "1"], "image/webp"), ("jpg", ["-pix_fmt", "gray"], "image/jpeg"),
        ] as [(String, [String], String)])
    func kinds(_ ending: String, _ options: [String], _ type: String) throws {
        let name = "header-\(options.last ?? "plain").\(ending)"
        let url = try TestMedia.shared.file(name) {
            try TestMedia.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=322x46", "-frames:v", "1"] + options + [$0.path])
        }
        let found = try #require(header([UInt8](Data(contentsOf: url))))
        #expect(found.mimeType == type && found.width == 322 && found.height == 46 && !found.isTooLarge)
    }

    private func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        let sides = [width, height].flatMap { side in (0..<4).map { UInt8(truncatingIfNeeded: side >> (24 - 8 * UInt32($0))) } }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + sides
    }

    @Test("a picture of more than 36 million pixels is too large, without overflow of the product")
    func large() throws {
        #expect(try !#require(header(png(6000, 6000))).isTooLarge)
        #expect(try #require(header(png(6001, 6000))).isTooLarge)
        #expect(try #require(header(png(20_000, 20_000))).isTooLarge)
        #expect(try #require(header(png(0xFFFF_FFFF, 0xFFFF_FFFF))).isTooLarge)
        #expect(try #require(header(png(0x8000_0000, 2))).isTooLarge)
        #expect(header(png(0, 100)) == nil)
    }

    @Test("a truncated or unknown header is refused")
    func others() {
        for whole in [png(10, 10), Array("GIF89a\u{1}\u{1}\u{1}\u{1}".utf8), [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1]] {
            #expect(header(whole) != nil)
            for count in 0..<whole.count - 1 { #expect(header(Array(whole[..<count])) == nil) }
        }
        #expect(header(Array("RIFF....WAVEVP8 ".utf8)) == nil)
        #expect(header(Array("<svg onload=".utf8)) == nil)
    }

    @Test("arbitrary bytes after a known signature never trap")
    func arbitrary() {
        let starts: [[UInt8]] = [
            png(1, 1), [0xFF, 0xD8, 0xFF], Array("GIF89a".utf8), Array("RIFF....WEBPVP8X".utf8), Array("BM".utf8), [0x49, 0x49, 0x2A, 0],
            [0x4D, 0x4D, 0, 0x2A], Array("....ftypavif".utf8),
        ]
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let rest = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                let byte = UInt8.random(in: 0...255, using: &random)
                return byte < 80 ? 0 : byte < 160 ? 0xFF : byte
            }
            for start in starts { _ = header(start + rest)?.isTooLarge }
        }
    }
}
