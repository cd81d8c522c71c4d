import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Hostile pictures")
struct HostilePictureTests {
    private func scaled(_ bytes: [UInt8], toFit size: Int = 64) throws(PlaybackError) -> Artwork {
        try FFmpegPictureScaler().scaled(Artwork(mimeType: "", data: bytes), toFit: size)
    }
    private func failure(_ bytes: [UInt8], toFit size: Int = 64) -> PlaybackError.Code? {
        do throws(PlaybackError) {
            _ = try scaled(bytes, toFit: size)
            return nil
        } catch {
            return error.code
        }
    }
    private func jpeg(_ bytes: [UInt8]) throws(PlaybackError) -> EncodedPicture {
        try bytes.withUnsafeBufferPointer { bytes throws(PlaybackError) in try EncodedPicture(jpeg: PictureBytes(bytes: bytes)) }
    }
    private func png(_ bytes: [UInt8]) throws(PlaybackError) -> EncodedPicture {
        try bytes.withUnsafeBufferPointer { bytes throws(PlaybackError) in try EncodedPicture(png: PictureBytes(bytes: bytes)) }
    }
    /// The header of a scan of a JPEG, and three bytes of its data.
    private static let scan = TestPicture.segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]) + [1, 2, 3]

    @Test("a truncated picture is scaled as far as it can be decoded", arguments: ["jpg", "png"])
    func truncated(kind: String) throws {
        let bytes = try TestPicture.encoded(300, 300, kind) { x, y in ((x * 7 + y * 13) % 256, 128, y % 256, 255) }
        let (width, height, _) = try TestPicture.decoded(scaled(Array(bytes[..<(bytes.count / 2)])))
        #expect((width, height) == (64, 64))
    }

    @Test("a prefix of a picture gives a picture or an error", arguments: ["jpg", "png"])
    func beginnings(kind: String) throws {
        let bytes = try TestPicture.quarters(100, 80, kind)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let code = failure(Array(bytes[..<length]))
            #expect(code == nil || code == .corruptMedia || code == .unsupportedFormat, "\(length)")
        }
    }

    @Test("a changed byte gives an error or another picture of the requested size", arguments: ["jpg", "png"])
    func changes(kind: String) throws {
        let bytes = try TestPicture.quarters(100, 80, kind)
        for at in stride(from: 0, to: bytes.count, by: 5) {
            var changed = bytes
            changed[at] ^= 0x55
            do throws(PlaybackError) {
                let header = try scaled(changed).data.withUnsafeBufferPointer { PictureHeader($0) }
                #expect(max(header?.width ?? 99, header?.height ?? 99) <= 64, "\(at)")
            } catch {
                #expect(error.code == .corruptMedia || error.code == .unsupportedFormat, "\(at)")
            }
        }
    }

    @Test(
        "a header without picture data is corrupt",
        arguments: [TestPicture.png(100, 100, colourType: 2), [0xFF, 0xD8] + TestPicture.frame(100, 100)])
    func headerAlone(bytes: [UInt8]) {
        #expect(failure(bytes) == .corruptMedia)
    }

    @Test("unsupported kinds of pictures give unsupportedFormat if they need decoding")
    func otherKinds() {
        #expect(failure(Array("GIF89a".utf8) + [200, 0, 9, 0, 0, 0, 0]) == .unsupportedFormat)
        #expect(failure([0xFF, 0xD8] + TestPicture.frame(100, 100, kind: 0xC3) + Self.scan) == .unsupportedFormat)
        #expect(failure([0xFF, 0xD8] + TestPicture.frame(100, 100, kind: 0xC9) + Self.scan) == .unsupportedFormat)
        #expect(failure(TestPicture.png(100, 100, depth: 3, colourType: 2)) == .unsupportedFormat)
        #expect(failure([1, 2, 3]) == .unsupportedFormat)
    }

    // MARK: Memory

    @Test("a PNG that needs too much memory is not decoded")
    func largePNG() throws {
        let data = TestPicture.chunk("IDAT", PictureScalerTests.stored([0, 1, 2, 3]))
        for (depth, type, side, fits) in [(8, 6, 3500, true), (8, 6, 3700, false), (16, 6, 2500, true), (16, 6, 2700, false), (8, 2, 5000, false)]
            as [(UInt8, UInt8, Int, Bool)]
        {
            let picture = try png(TestPicture.png(side, side, depth: depth, colourType: type) + data)
            #expect((picture.halvings(toFit: 512) != nil) == fits, "\(depth) \(type) \(side)")
        }
        #expect(failure(TestPicture.png(5000, 5000, colourType: 6) + data) == .unsupportedFormat)
        // The memory of the scaled picture counts too, so that this picture does not fit.
        #expect(try png(TestPicture.png(3500, 3500, colourType: 6) + data).halvings(toFit: 2048) == nil)
    }

    @Test("a large sequential JPEG is decoded at reduced size to save memory")
    func largeJPEG() throws {
        let picture = try jpeg([0xFF, 0xD8] + TestPicture.frame(6000, 6000, sampling: [0x11, 0x11, 0x11]) + Self.scan)
        #expect(picture.halvings(toFit: 512) == 3)
        #expect(picture.halvings(toFit: 1024) == 2)
        #expect(picture.halvings(toFit: 2048) == 1)
    }

    @Test("a JPEG is decoded smaller than requested if the memory limit requires it")
    func smallerThanAskedFor() throws {
        let picture = try jpeg([0xFF, 0xD8] + TestPicture.frame(4094, 4094, sampling: [0x11, 0x11, 0x11, 0x11]) + Self.scan)
        #expect(picture.halvings(toFit: 2048) == 1)
    }

    @Test("a progressive JPEG whose coefficients need too much memory is not decoded")
    func largeProgressive() throws {
        let usual = try jpeg([0xFF, 0xD8] + TestPicture.frame(4000, 3900, kind: 0xC2) + Self.scan)
        #expect(usual.halvings(toFit: 512) == 2)
        let full = try jpeg([0xFF, 0xD8] + TestPicture.frame(4000, 3900, kind: 0xC2, sampling: [0x11, 0x11, 0x11]) + Self.scan)
        #expect(full.halvings(toFit: 512) == nil)
    }

    // MARK: Inconsistencies

    @Test("a JPEG with two headers is corrupt, even if the second one is hidden in a table")
    func secondHeader() {
        let start = [0xFF, 0xD8] + TestPicture.frame(100, 100), large = TestPicture.frame(6000, 6000, kind: 0xC2)
        #expect(failure(start + large + Self.scan) == .corruptMedia)
        #expect(failure(start + Self.scan + large + Self.scan) == .corruptMedia)
        #expect(failure(start + TestPicture.segment(0xC4, [0x00] + [UInt8](repeating: 0, count: 16) + large) + Self.scan) == .corruptMedia)
    }

    @Test("image data of another size than the header's changes only pixels", arguments: ["jpg", "png"])
    func otherData(kind: String) throws {
        for (width, height) in [(1000, 900), (37, 41)] {
            var bytes = try TestPicture.quarters(width, height, kind)
            let at = kind == "png" ? 16 : try #require(bytes.firstRange(of: [0xFF, 0xC0])).lowerBound + 5
            let sides: [UInt8] = kind == "png" ? [0, 0, 0, 100, 0, 0, 0, 100] : [0, 100, 0, 100]
            bytes.replaceSubrange(at..<(at + sides.count), with: sides)
            let (foundWidth, foundHeight, _) = try TestPicture.decoded(scaled(bytes))
            #expect((foundWidth, foundHeight) == (64, 64))
        }
    }

    @Test("a second header of a PNG is not passed to the decoder")
    func secondPNGHeader() throws {
        let bytes = try TestPicture.quarters(100, 80, "png")
        let second = Array(TestPicture.png(5000, 5000, colourType: 6)[8...])
        #expect(try scaled(Array(bytes[..<33]) + second + bytes[33...]) == scaled(bytes))
    }

    // MARK: Time

    @Test("data that a PNG decompresses to after its last row is cut off")
    func excess() throws {
        let rows = PictureScalerTests.stored([UInt8](repeating: 0, count: 10 * 31))
        // The third byte states that the block is the last one. It is cleared, so that further blocks can follow.
        let open = Array(rows[..<2]) + [0] + rows[3..<(rows.count - 4)]
        let more: [UInt8] = [0, 0x50, 0xC3, 0xAF, 0x3C] + [UInt8](repeating: 0, count: 50_000)
        let excess = more + more + more + more
        let picture = try png(TestPicture.png(10, 10, colourType: 2) + TestPicture.chunk("IDAT", open + excess) + TestPicture.chunk("IDAT", excess))
        #expect(picture.packetBytes < 1000)
    }

    @Test("compressed texts of a PNG are not passed to the decoder")
    func texts() throws {
        let bytes = try TestPicture.quarters(100, 80, "png")
        let text = TestPicture.chunk("zTXt", Array("Title\0\0".utf8) + [UInt8](repeating: 1, count: 100_000))
        let plain = try png(bytes)
        #expect(try png(Array(bytes[..<33]) + text + bytes[33...]).packetBytes == plain.packetBytes)
    }

    @Test("a JPEG of more scans than encoders write is not decoded")
    func scans() throws {
        func picture(_ kind: UInt8, _ count: Int) -> [UInt8] {
            [0xFF, 0xD8] + TestPicture.frame(100, 100, kind: kind) + (0..<count).flatMap { _ in Self.scan }
        }
        #expect(throws: Never.self) { try jpeg(picture(0xC0, 3)) }
        #expect(failure(picture(0xC0, 4)) == .unsupportedFormat)
        #expect(throws: Never.self) { try jpeg(picture(0xC2, EncodedPicture.scanLimit)) }
        #expect(failure(picture(0xC2, EncodedPicture.scanLimit + 1)) == .unsupportedFormat)
    }
}
