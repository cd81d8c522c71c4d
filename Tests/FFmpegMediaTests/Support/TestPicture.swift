import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

/// Pictures made at test time by the `ffmpeg` command, and access to their pixels.
enum TestPicture {
    typealias Pixel = (red: Int, green: Int, blue: Int, alpha: Int)

    static let red = (255, 0, 0, 255) as Pixel, green = (0, 255, 0, 255) as Pixel
    static let blue = (0, 0, 255, 255) as Pixel, white = (255, 255, 255, 255) as Pixel

    /// Makes a picture of four quarters: red and green in the upper half, blue and white in the lower half.
    static func quarters(_ width: Int, _ height: Int, _ fileExtension: String, _ arguments: [String] = []) throws -> [UInt8] {
        let name = "quarters-\(width)-\(height)\(arguments.joined())"
        return try encoded(width, height, fileExtension, arguments, name: name) { x, y in
            2 * y < height ? (2 * x < width ? red : green) : (2 * x < width ? blue : white)
        }
    }

    /// Makes a picture in the format of a file extension; a function gives the colour of each pixel. Pictures of the same name are made once.
    static func encoded(
        _ width: Int, _ height: Int, _ fileExtension: String, _ arguments: [String] = [], name: String = UUID().uuidString,
        _ pixel: (Int, Int) -> Pixel
    ) throws -> [UInt8] {
        let raw = try TestMedia.shared.file("\(name).rgba") { url in
            var bytes = [UInt8]()
            bytes.reserveCapacity(4 * width * height)
            for y in 0..<height {
                for x in 0..<width {
                    let (red, green, blue, alpha) = pixel(x, y)
                    bytes += [UInt8(red), UInt8(green), UInt8(blue), UInt8(alpha)]
                }
            }
            try Data(bytes).write(to: url)
        }
        let source = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", "\(width)x\(height)", "-i", raw.path]
        let url = try TestMedia.shared.file("\(name).\(fileExtension)") { url in
            try TestMedia.ffmpeg(source + ["-frames:v", "1"] + arguments + [url.path])
        }
        return try [UInt8](Data(contentsOf: url))
    }

    /// Decodes a picture with ffmpeg, and ignores its orientation. Returns the size in pixels, and a function that returns the colour of a pixel.
    static func decoded(_ picture: Artwork) throws -> (width: Int, height: Int, pixel: (Int, Int) -> Pixel) {
        let header = try #require(picture.data.withUnsafeBufferPointer { PictureHeader($0) })
        #expect(header.mimeType == picture.mimeType)
        let name = UUID().uuidString
        let coded = try TestMedia.shared.file("\(name).coded") { try Data(picture.data).write(to: $0) }
        let raw = try TestMedia.shared.file("\(name).raw") { url in
            let decoder = header.mimeType == "image/png" ? "png" : "mjpeg"
            try TestMedia.ffmpeg(["-f", "image2", "-c:v", decoder, "-i", coded.path, "-f", "rawvideo", "-pix_fmt", "rgba", url.path])
        }
        let bytes = try [UInt8](Data(contentsOf: raw)), width = header.width
        try #require(bytes.count == 4 * width * header.height)
        return (
            width, header.height,
            { x, y in
                let at = 4 * (y * width + x)
                return (Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]), Int(bytes[at + 3]))
            }
        )
    }

    /// Returns the colours in the middle of the four quarters of a picture: upper left, upper right, lower left, lower right.
    static func corners(_ picture: Artwork) throws -> [Pixel] { corners(try decoded(picture)) }

    /// Returns the same of a picture that `decoded` has returned.
    static func corners(_ decoded: (width: Int, height: Int, pixel: (Int, Int) -> Pixel)) -> [Pixel] {
        [(1, 1), (3, 1), (1, 3), (3, 3)].map { decoded.pixel($0.0 * decoded.width / 4, $0.1 * decoded.height / 4) }
    }

    /// Whether the colours differ only as much as a JPEG encoder changes colours.
    static func isNear(_ found: [Pixel], _ wanted: [Pixel]) -> Bool {
        found.count == wanted.count
            && zip(found, wanted).allSatisfy { found, wanted in
                abs(found.red - wanted.red) < 24 && abs(found.green - wanted.green) < 24 && abs(found.blue - wanted.blue) < 24
                    && abs(found.alpha - wanted.alpha) < 4
            }
    }

    static func base64(_ text: String) throws -> [UInt8] { try [UInt8](#require(Data(base64Encoded: text))) }

    /// A picture of four coloured quarters, as a progressive JPEG of 48 × 32 pixels in base64.
    static let progressive = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/\
        2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wgARCAAgADADASIAAhEBAxEB/8QA\
        FwABAQEBAAAAAAAAAAAAAAAAAAUGBP/EABgBAAMBAQAAAAAAAAAAAAAAAAIEBQMG/9oADAMBAAIQAxAAAAHiCt5Sm0soYZRII7Ko3OG3KBAgf//EABQQAQAA\
        AAAAAAAAAAAAAAAAAED/2gAIAQEAAQUCR//EABoRAAEFAQAAAAAAAAAAAAAAABAAAgVCgcH/2gAIAQMBAT8BUvTeFo//xAAYEQACAwAAAAAAAAAAAAAAAAAA\
        EAMEQf/aAAgBAgEBPwEkd3F//8QAFBABAAAAAAAAAAAAAAAAAAAAQP/aAAgBAQAGPwJH/8QAFBABAAAAAAAAAAAAAAAAAAAAQP/aAAgBAQABPyFH/9oADAMB\
        AAIAAwAAABABXwAED//EABYRAAMAAAAAAAAAAAAAAAAAABAgQf/aAAgBAwEBPxBIof/EABcRAAMBAAAAAAAAAAAAAAAAAAAQwUH/2gAIAQIBAT8QMOsX/8QA\
        FBABAAAAAAAAAAAAAAAAAAAAQP/aAAgBAQABPxBH/9k=
        """
    /// A picture of four coloured quarters, as a JPEG of 48 × 32 pixels with the colour components CMYK, in base64.
    static let printing = """
        /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAQCwwODAoQDg0OEhEQExgoGhgWFhgxIyUdKDozPTw5Mzg3QEhcTkBEV0U3OFBtUVdfYmdoZz5NcXlwZHhcZWdj/8AA\
        FAgAIAAwBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAAIB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBEMATQBZAEsAAD8A0Bn7P2gAAAn9\
        QAAAAoBP4AAAn9QAAAAJ/UAAAAoBQAAAAn9P4AAAoBQAAAA//9k=
        """

    // MARK: Parts

    /// Returns the bytes of a segment of a JPEG: the marker `kind`, the length and the content.
    static func segment(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xFF, kind, UInt8(length >> 8), UInt8(length & 255)] + content
    }

    /// Returns a JPEG in which segments are inserted after its first marker.
    static func jpeg(_ bytes: [UInt8], with segments: [UInt8]) -> [UInt8] { Array(bytes[..<2]) + segments + bytes[2...] }

    /// Returns an Exif block that contains only an orientation.
    static func exif(orientation: UInt8) -> [UInt8] {
        Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }

    /// Returns the bytes of a chunk of a PNG. Its checksum is wrong, but FFmpeg does not check it.
    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: content.count >> (24 - 8 * $0)) } + Array(name.utf8) + content + [0, 0, 0, 0]
    }

    /// Returns the beginning of a PNG: its signature and its header.
    static func png(_ width: Int, _ height: Int, depth: UInt8 = 8, colourType: UInt8) -> [UInt8] {
        func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", big(width) + big(height) + [depth, colourType, 0, 0, 0])
    }

    /// Returns the frame header of a JPEG. `sampling` has the sampling factors of each component, in one byte each.
    static func frame(_ width: Int, _ height: Int, kind: UInt8 = 0xC0, sampling: [UInt8] = [0x22, 0x11, 0x11]) -> [UInt8] {
        let sides = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return segment(kind, [8] + sides + [UInt8(sampling.count)] + sampling.enumerated().flatMap { [UInt8($0.offset + 1), $0.element, 0] })
    }
}
