import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Scaling of pictures")
struct PictureScalerTests {
    private let quarters = [TestPicture.red, TestPicture.green, TestPicture.blue, TestPicture.white]

    private func scaled(_ bytes: [UInt8], toFit size: Int) throws(PlaybackError) -> Artwork {
        try FFmpegPictureScaler().scaled(Artwork(mimeType: "image/any", data: bytes), toFit: size)
    }

    @Test(
        "the longer side has the requested number of pixels, and the other one keeps the ratio",
        arguments: [(640, 480, 64, 64, 48), (481, 641, 100, 75, 100), (301, 299, 256, 256, 254), (16_000, 2, 256, 256, 1), (2, 3000, 16, 1, 16)])
    func sides(width: Int, height: Int, size: Int, newWidth: Int, newHeight: Int) throws {
        for kind in ["jpg", "png"] {
            let picture = try scaled(TestPicture.quarters(width, height, kind), toFit: size)
            let (foundWidth, foundHeight, _) = try TestPicture.decoded(picture)
            #expect((foundWidth, foundHeight) == (newWidth, newHeight), "\(kind)")
        }
    }

    @Test(
        "the colours of every kind of JPEG are kept",
        arguments: ["yuvj420p", "yuvj422p", "yuvj444p", "yuvj440p"], [16, 40, 64, 100])
    func colours(layout: String, size: Int) throws {
        let picture = try scaled(TestPicture.quarters(330, 222, "jpg", ["-q:v", "2", "-pix_fmt", layout]), toFit: size)
        #expect(picture.mimeType == "image/jpeg")
        #expect(TestPicture.isNear(try TestPicture.corners(picture), quarters))
    }

    @Test(
        "the colours of every kind of PNG are kept",
        arguments: [["-pix_fmt", "rgb24"], ["-pix_fmt", "rgba"], ["-pix_fmt", "rgb48be"], ["-pix_fmt", "rgba64be"], ["-flags", "+ildct"]])
    func coloursOfPNG(arguments: [String]) throws {
        let picture = try scaled(TestPicture.quarters(330, 222, "png", arguments), toFit: 64)
        #expect(picture.mimeType == "image/jpeg")
        #expect(TestPicture.isNear(try TestPicture.corners(picture), quarters))
    }

    @Test("the colours of a PNG with a palette are kept")
    func palette() throws {
        let palette: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
        var rows: [UInt8] = []
        for y in 0..<64 { rows += [0] + (0..<64).map { x in (y < 32 ? 0 : 2) + (x < 32 ? 0 : 1) } }
        let bytes = TestPicture.png(64, 64, colourType: 3) + TestPicture.chunk("PLTE", palette) + TestPicture.chunk("IDAT", Self.stored(rows))
        #expect(TestPicture.isNear(try TestPicture.corners(scaled(bytes + TestPicture.chunk("IEND", []), toFit: 32)), quarters))
    }

    @Test("a grey picture stays grey, from black to white", arguments: [("jpg", "gray"), ("png", "gray"), ("png", "gray16be"), ("png", "monob")])
    func grey(kind: String, layout: String) throws {
        let bytes = try TestPicture.encoded(200, 100, kind, ["-pix_fmt", layout]) { x, _ in x < 100 ? (0, 0, 0, 255) : (255, 255, 255, 255) }
        let black = (0, 0, 0, 255) as TestPicture.Pixel
        #expect(TestPicture.isNear(try TestPicture.corners(scaled(bytes, toFit: 50)), [black, TestPicture.white, black, TestPicture.white]))
    }

    @Test("a progressive JPEG is scaled, with reduced decoding too", arguments: [40, 24, 16])
    func progressive(size: Int) throws {
        #expect(TestPicture.isNear(try TestPicture.corners(scaled(TestPicture.base64(TestPicture.progressive), toFit: size)), quarters))
    }

    @Test("a CMYK JPEG is scaled")
    func printing() throws {
        #expect(TestPicture.isNear(try TestPicture.corners(scaled(TestPicture.base64(TestPicture.printing), toFit: 24)), quarters))
    }

    @Test("a picture with a transparent pixel becomes a PNG that keeps it")
    func transparent() throws {
        let bytes = try TestPicture.encoded(120, 120, "png") { x, y in x < 60 && y < 60 ? (255, 0, 0, 0) : (0, 0, 255, 255) }
        let picture = try scaled(bytes, toFit: 30)
        #expect(picture.mimeType == "image/png")
        let corners = try TestPicture.corners(picture)
        #expect(corners[0].alpha == 0)
        #expect(TestPicture.isNear([corners[3]], [TestPicture.blue]))
    }

    @Test("a picture that is not larger is returned unchanged, for every known kind")
    func asItIs() throws {
        let gif = Array("GIF89a".utf8) + [16, 0, 9, 0, 0, 0, 0]
        for bytes in [try TestPicture.quarters(64, 48, "jpg"), try TestPicture.quarters(1, 1, "png"), gif] {
            #expect(try scaled(bytes, toFit: 64) == Artwork(mimeType: "image/any", data: bytes))
        }
    }

    // MARK: Orientation

    @Test(
        "a picture is rotated and mirrored according to its Exif orientation",
        arguments: [
            (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]), (5, [0, 2, 1, 3]), (6, [2, 0, 3, 1]), (7, [3, 1, 2, 0]),
            (8, [1, 3, 0, 2]),
        ] as [(UInt8, [Int])])
    func orientation(_ number: UInt8, order: [Int]) throws {
        let exif = TestPicture.exif(orientation: number)
        let jpeg = try TestPicture.quarters(90, 60, "jpg", ["-q:v", "2"])
        let png = try TestPicture.quarters(90, 60, "png")
        let transparent = try TestPicture.encoded(90, 60, "png", name: "transparent-quarters") { x, y in
            let (red, green, blue, _) = quarters[(2 * y < 60 ? 0 : 2) + (2 * x < 90 ? 0 : 1)]
            return (red, green, blue, x == 44 && y == 29 ? 0 : 255)
        }
        let turned = [
            TestPicture.jpeg(jpeg, with: TestPicture.segment(0xE1, Array("Exif\0\0".utf8) + exif)),
            Array(png[..<33]) + TestPicture.chunk("eXIf", exif) + png[33...],
            Array(transparent[..<33]) + TestPicture.chunk("eXIf", exif) + transparent[33...],
        ]
        for (bytes, type) in zip(turned, ["image/jpeg", "image/jpeg", "image/png"]) {
            let picture = try scaled(bytes, toFit: 45)
            #expect(picture.mimeType == type)
            let decoded = try TestPicture.decoded(picture)
            #expect((decoded.width, decoded.height) == (number >= 5 ? (30, 45) : (45, 30)))
            #expect(TestPicture.isNear(TestPicture.corners(decoded), order.map { quarters[$0] }))
        }
    }

    @Test("an invalid Exif orientation is ignored", arguments: [0, 9, 255] as [UInt8])
    func unknownOrientation(_ number: UInt8) throws {
        let bytes = TestPicture.jpeg(
            try TestPicture.quarters(90, 60, "jpg"), with: TestPicture.segment(0xE1, Array("Exif\0\0".utf8) + TestPicture.exif(orientation: number)))
        #expect(TestPicture.isNear(try TestPicture.corners(scaled(bytes, toFit: 45)), quarters))
    }

    @Test("an Exif segment that ends before or inside its name is ignored, whatever follows it", arguments: 2...8 as ClosedRange<UInt8>)
    func cutExif(_ length: UInt8) throws {
        let bytes = TestPicture.jpeg(try TestPicture.quarters(90, 60, "jpg"), with: [0xFF, 0xE1, 0, length] + Array("Exif\0\0".utf8))
        #expect(TestPicture.isNear(try TestPicture.corners(scaled(bytes, toFit: 45)), quarters))
    }

    @Test("a JPEG's colour profile is kept, and its text removed")
    func profile() throws {
        let profile = TestPicture.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 7, count: 300))
        let text = TestPicture.segment(0xFE, Array("a comment".utf8))
        let picture = try scaled(TestPicture.jpeg(TestPicture.quarters(90, 60, "jpg"), with: text + profile), toFit: 45)
        #expect(picture.data.firstRange(of: profile) != nil)
        #expect(picture.data.firstRange(of: Array("a comment".utf8)) == nil)
        #expect(TestPicture.isNear(try TestPicture.corners(picture), quarters))
    }

    /// Returns bytes (at most 65,535) in the format of zlib, as one block without compression.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = [UInt8(bytes.count & 255), UInt8(bytes.count >> 8)]
        var low = 1, high = 0
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let sum = [high >> 8, high & 255, low >> 8, low & 255].map { UInt8($0) }
        return [0x78, 0x01, 1] + length + length.map { ~$0 } + bytes + sum
    }
}
