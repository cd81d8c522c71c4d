/// The format and the dimensions of a picture, found without decoding. A picture needs four bytes of memory for each pixel when it is shown: a file
/// of one megabyte can ask for gigabytes.
struct PictureHeader: Equatable {
    let mimeType: String
    /// The dimensions in pixels.
    let width: Int, height: Int

    /// The greatest number of pixels: 6000 × 6000, which need 144 MB when shown.
    static let pixelLimit = 36_000_000
    var isTooLarge: Bool {
        width.multipliedReportingOverflow(by: height).partialValue > PictureHeader.pixelLimit || width > 65_535 || height > 65_535
    }

    /// Recognises the format by the bytes, whatever the medium states. Nil if the format is unknown, or if the bytes state no dimensions.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let reader = PictureBytes(bytes: bytes)
        guard
            let found = PictureHeader.png(reader) ?? PictureHeader.jpeg(reader) ?? PictureHeader.gif(reader) ?? PictureHeader.webP(reader)
                ?? PictureHeader.bitmap(reader) ?? PictureHeader.tiff(reader) ?? PictureHeader.avif(reader), found.width > 0, found.height > 0
        else { return nil }
        self = found
    }

    private init(_ mimeType: String, _ width: Int, _ height: Int) {
        self.mimeType = mimeType
        self.width = width
        self.height = height
    }

    /// Reads a PNG (ISO 15948, 11.2.2).
    private static func png(_ reader: PictureBytes) -> PictureHeader? {
        guard reader.begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), let width = reader.big(16, 4), let height = reader.big(20, 4) else {
            return nil
        }
        return PictureHeader("image/png", width, height)
    }

    /// Reads the first frame header of a JPEG (ITU-T T.81, B.2.2).
    private static func jpeg(_ reader: PictureBytes) -> PictureHeader? {
        guard reader.begins([0xFF, 0xD8, 0xFF]) else { return nil }
        var at = 2
        while let mark = reader.byte(at), let kind = reader.byte(at + 1) {
            // Fill bytes and markers without content are skipped.
            if mark != 0xFF || kind == 0xFF || kind == 0x01 || (0xD0...0xD8).contains(kind) {
                at += mark == 0xFF && kind != 0xFF ? 2 : 1
                continue
            }
            guard kind != 0xD9, kind != 0xDA, let length = reader.big(at + 2, 2), length >= 2 else { return nil }
            if (0xC0...0xCF).contains(kind), kind != 0xC4, kind != 0xC8, kind != 0xCC {
                guard let height = reader.big(at + 5, 2), let width = reader.big(at + 7, 2) else { return nil }
                return PictureHeader("image/jpeg", width, height)
            }
            at += 2 + length
        }
        return nil
    }

    /// Reads a GIF (GIF89a, 18).
    private static func gif(_ reader: PictureBytes) -> PictureHeader? {
        guard reader.begins(Array("GIF87a".utf8)) || reader.begins(Array("GIF89a".utf8)), let width = reader.little(6, 2),
            let height = reader.little(8, 2)
        else { return nil }
        return PictureHeader("image/gif", width, height)
    }

    /// Reads a WebP (RFC 9649, 2.5 to 2.7).
    private static func webP(_ reader: PictureBytes) -> PictureHeader? {
        guard reader.begins(Array("RIFF".utf8)), reader.begins(Array("WEBPVP8".utf8), at: 8), let form = reader.byte(15) else { return nil }
        switch UInt8(form) {
        case UInt8(ascii: " "):
            guard let width = reader.little(26, 2), let height = reader.little(28, 2) else { return nil }
            return PictureHeader("image/webp", width & 0x3FFF, height & 0x3FFF)
        case UInt8(ascii: "L"):
            guard let bits = reader.little(21, 4) else { return nil }
            return PictureHeader("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case UInt8(ascii: "X"):
            guard let width = reader.little(24, 3), let height = reader.little(27, 3) else { return nil }
            return PictureHeader("image/webp", width + 1, height + 1)
        default: return nil
        }
    }

    /// Reads a bitmap, in which a negative height means rows from top to bottom.
    private static func bitmap(_ reader: PictureBytes) -> PictureHeader? {
        guard reader.begins(Array("BM".utf8)), let size = reader.little(14, 4) else { return nil }
        if size == 12, let width = reader.little(18, 2), let height = reader.little(20, 2) { return PictureHeader("image/bmp", width, height) }
        guard size >= 40, let width = reader.little(18, 4), let height = reader.little(22, 4) else { return nil }
        return PictureHeader("image/bmp", width, height > 0x7FFF_FFFF ? 0x1_0000_0000 - height : height)
    }

    /// Reads the first directory of a TIFF (TIFF 6.0, section 2).
    private static func tiff(_ reader: PictureBytes) -> PictureHeader? {
        let isLittle = reader.begins([0x49, 0x49, 0x2A, 0x00])
        guard isLittle || reader.begins([0x4D, 0x4D, 0x00, 0x2A]) else { return nil }
        func number(_ at: Int, _ count: Int) -> Int? { isLittle ? reader.little(at, count) : reader.big(at, count) }
        guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
        var sides: [Int: Int] = [:]
        for entry in 0..<count {
            let at = directory + 2 + 12 * entry
            guard let tag = number(at, 2), let type = number(at + 2, 2) else { break }
            // A value of two bytes is in the first two of the four bytes for a value.
            if tag == 256 || tag == 257 { sides[tag] = number(at + 8, type == 3 ? 2 : 4) }
        }
        guard let width = sides[256], let height = sides[257] else { return nil }
        return PictureHeader("image/tiff", width, height)
    }

    /// Reads an AVIF, and uses its largest item (ISO 23008-12, 6.5.3).
    private static func avif(_ reader: PictureBytes) -> PictureHeader? {
        guard reader.begins(Array("ftypavif".utf8), at: 4) else { return nil }
        var best: PictureHeader?
        let name = Array("ispe".utf8)
        for at in stride(from: 8, to: min(reader.count, 1 << 16), by: 1) where reader.bytes[at] == name[0] && reader.begins(name, at: at) {
            guard let width = reader.big(at + 8, 4), let height = reader.big(at + 12, 4) else { break }
            let found = PictureHeader("image/avif", width, height)
            if best.map({ Double($0.width) * Double($0.height) < Double(width) * Double(height) }) ?? true { best = found }
        }
        return best
    }
}

/// Reads numbers from the bytes of a picture; nil if a number extends beyond the bytes. `big` begins with the most significant byte, `little` with
/// the least.
struct PictureBytes {
    let bytes: UnsafeBufferPointer<UInt8>
    var count: Int { bytes.count }

    func begins(_ signature: [UInt8], at offset: Int = 0) -> Bool {
        bytes.count >= offset + signature.count && zip(bytes.dropFirst(offset), signature).allSatisfy { $0 == $1 }
    }
    func byte(_ at: Int) -> Int? { bytes.indices.contains(at) ? Int(bytes[at]) : nil }
    func big(_ at: Int, _ count: Int) -> Int? { number(at, count, (0..<count).map { $0 }) }
    func little(_ at: Int, _ count: Int) -> Int? { number(at, count, (0..<count).reversed()) }
    private func number(_ at: Int, _ count: Int, _ order: [Int]) -> Int? {
        guard at >= 0, at <= bytes.count - count else { return nil }
        return order.reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
    }

    subscript(_ range: Range<Int>) -> PictureBytes {
        PictureBytes(bytes: UnsafeBufferPointer(rebasing: bytes[range.clamped(to: bytes.indices)]))
    }
}
