import CZlib
import PlaybackEngine

extension EncodedPicture {
    /// Reads a PNG (ISO 15948). Compressed data after the last row is discarded, because each megabyte of it could expand to a gigabyte.
    init(png reader: PictureBytes) throws(PlaybackError) {
        guard let header = PNGHeader(reader) else { throw Self.unsupported("The picture is a PNG of an unsupported kind.") }
        var at = 33, palette: [Range<Int>] = [], data: [Range<Int>] = [], orientation: PictureOrientation?, hasTransparency = false
        while let length = reader.big(at, 4), let name = reader.big(at + 4, 4) {
            let end = min(at + 8 + length, reader.count)
            switch name {
            case Self.chunk("PLTE") where data.isEmpty && length <= 3 * 256: palette.append(at..<min(end + 4, reader.count))
            case Self.chunk("tRNS") where data.isEmpty && length <= 256:
                palette.append(at..<min(end + 4, reader.count))
                hasTransparency = true
            case Self.chunk("IDAT"): data.append((at + 8)..<end)
            case Self.chunk("eXIf"): orientation = orientation ?? PictureOrientation(exif: reader[(at + 8)..<end])
            default: break
            }
            if name == Self.chunk("IEND") { break }
            at = end + 4
        }
        let channels = header.channels + (hasTransparency && header.colourType != 3 ? 1 : 0)
        self.init(.png, originalBytes: reader.count, width: header.width, height: header.height) { _ in
            (header.width + 32) * header.height * channels * (header.depth == 16 ? 2 : 1)
        }
        mayBeTransparent = hasTransparency || header.colourType & 4 != 0
        self.orientation = orientation ?? .stored
        let rows = try Self.compressedRows(reader, data, unfolding: header.rowBytes)
        // All compressed rows become one chunk. Its checksum is 0, because FFmpeg does not check it.
        let size = rows.reduce(0) { $0 + $1.count }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
        parts = [.original(0..<33)] + palette.map(Part.original)
        parts += [.bytes(length + Array("IDAT".utf8))] + rows.map(Part.original) + [.bytes([0, 0, 0, 0])]
        parts.append(.bytes([0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]))
    }

    private static func chunk(_ name: StaticString) -> Int {
        name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    /// Returns the part of `data` that expands to `count` bytes, or all of `data` if it expands to fewer. Throws `corruptMedia` if it expands to
    /// fewer than two bytes, because even a row of one pixel has two.
    private static func compressedRows(_ reader: PictureBytes, _ data: [Range<Int>], unfolding count: Int) throws(PlaybackError) -> [Range<Int>] {
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { throw .outOfMemory }
        defer { inflateEnd(&stream) }
        return try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { scratch throws(PlaybackError) in
            var rows: [Range<Int>] = []
            for range in data where !range.isEmpty {
                stream.next_in = UnsafeMutablePointer(mutating: reader.bytes.baseAddress.map { $0 + range.lowerBound })
                stream.avail_in = UInt32(range.count)
                var status = Z_OK
                while status == Z_OK, stream.avail_in > 0, stream.total_out < count {
                    stream.next_out = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    stream.avail_out = UInt32(min(scratch.count, count - Int(stream.total_out)))
                    status = inflate(&stream, Z_NO_FLUSH)
                }
                let used = range.count - Int(stream.avail_in)
                if used > 0 { rows.append(range.lowerBound..<(range.lowerBound + used)) }
                if status != Z_OK || stream.total_out >= count { break }
            }
            guard stream.total_out > 1 else { throw damaged }
            return rows
        }
    }
}

/// The header of a PNG: IHDR (ISO 15948, 11.2.2).
private struct PNGHeader {
    let width: Int, height: Int, depth: Int, colourType: Int
    private let isInterlaced: Bool

    /// Reads the header; nil if it is missing, or if it violates the standard.
    init?(_ reader: PictureBytes) {
        guard reader.count >= 33, reader.big(8, 4) == 13, reader.begins(Array("IHDR".utf8), at: 12), let width = reader.big(16, 4),
            let height = reader.big(20, 4), let depth = reader.byte(24), let type = reader.byte(25), reader.byte(26) == 0, reader.byte(27) == 0,
            let interlacing = reader.byte(28), interlacing <= 1, (1...PictureHeader.pixelLimit).contains(width),
            (1...PictureHeader.pixelLimit).contains(height)
        else { return nil }
        let depths: [Int: [Int]] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
        guard depths[type]?.contains(depth) ?? false else { return nil }
        (self.width, self.height, self.depth, colourType, isInterlaced) = (width, height, depth, type, interlacing == 1)
    }

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colourType] ?? 4 }

    /// The size of all rows after decompression, in bytes, with a filter byte for each row; an interlaced picture has rows in seven passes (8.2).
    var rowBytes: Int {
        func pass(_ columns: Int, _ rows: Int) -> Int { columns == 0 ? 0 : rows * (1 + (columns * channels * depth + 7) / 8) }
        guard isInterlaced else { return pass(width, height) }
        let grid = [(0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2)]
        return grid.reduce(0) { sum, step in
            sum + pass((width - step.0 + step.1 - 1) / step.1, (height - step.2 + step.3 - 1) / step.3)
        }
    }
}
