import Glibc
import PlaybackEngine

extension EncodedPicture {
    /// The greatest number of scans of a progressive JPEG, enough for any usual encoder. The decoder processes all coefficients again for each scan.
    /// A sequential JPEG has at most one scan for each component.
    static let scanLimit = 64
    /// The greatest size of a colour profile, in bytes.
    private static let profileLimit = 64 << 10

    /// Reads a JPEG (ITU-T T.81, annex B): sequential or progressive, with 8 bits per sample and Huffman codes. If the end of the file is missing,
    /// the part before is used.
    init(jpeg reader: PictureBytes) throws(PlaybackError) {
        var walk = JPEGWalk(reader)
        try walk.run()
        guard let frame = walk.frame, walk.scanCount > 0 else { throw Self.damaged }
        guard walk.scanCount <= (frame.isProgressive ? Self.scanLimit : frame.components) else {
            throw Self.unsupported("The picture has too many scans.")
        }
        self.init(.jpeg, originalBytes: reader.count, width: frame.width, height: frame.height, decodedBytes: frame.decodedBytes)
        orientation = walk.orientation ?? .stored
        // The profile of a grey or CMYK picture is not kept, because the scaled picture has three components, which it does not describe.
        if frame.components == 3, walk.profile.reduce(0, { $0 + $1.count }) <= Self.profileLimit { profile = walk.profile }
        parts = [.bytes([0xFF, 0xD8])] + walk.kept.map(Part.original) + [.bytes([0xFF, 0xD9])]
        halvings = 3
        // The decoder makes a copy of its input without the stuffed zeros, and keeps all coefficients of a progressive picture.
        decoderBytes = packetBytes + frame.coefficientBytes
    }
}

/// The header of a JPEG frame (ITU-T T.81, B.2.2).
private struct JPEGFrame {
    let isProgressive: Bool
    let width: Int, height: Int
    /// The horizontal and vertical sampling factors of each component.
    let sampling: [(h: Int, v: Int)]
    var components: Int { sampling.count }

    /// Reads a frame header. `at` is the offset after its marker, and `length` is the size of the segment from there on, in bytes.
    init?(_ reader: PictureBytes, at: Int, length: Int, isProgressive: Bool) {
        guard reader.byte(at + 2) == 8, let height = reader.big(at + 3, 2), let width = reader.big(at + 5, 2), let count = reader.byte(at + 7),
            [1, 3, 4].contains(count), length == 8 + 3 * count, width > 0, height > 0
        else { return nil }
        sampling = (0..<count).map { number in
            let factors = reader.byte(at + 9 + 3 * number) ?? 0
            return (factors >> 4, factors & 15)
        }
        guard sampling.allSatisfy({ (1...4).contains($0.h) && (1...4).contains($0.v) }) else { return nil }
        self.isProgressive = isProgressive
        self.width = width
        self.height = height
    }

    private var largestSampling: (h: Int, v: Int) { (sampling.map(\.h).max() ?? 1, sampling.map(\.v).max() ?? 1) }

    /// The memory for the coefficients of a progressive JPEG, in bytes: two for each coefficient, and one for each block. Units at the edges of the
    /// picture count whole. 0 for a sequential JPEG.
    var coefficientBytes: Int {
        guard isProgressive else { return 0 }
        let (h, v) = largestSampling
        let units = ((width + 8 * h - 1) / (8 * h)) * ((height + 8 * v - 1) / (8 * v))
        return units * sampling.reduce(0) { $0 + $1.h * $1.v } * (64 * 2 + 1)
    }

    /// Returns the size of the decoded picture in bytes, if its sides are halved `halvings` times. Colours count as reduced only in 4:2:0 and 4:2:2;
    /// for other samplings FFmpeg may have no pixel format.
    func decodedBytes(_ halvings: Int) -> Int {
        let width = EncodedPicture.halved(width, halvings) + 32, height = EncodedPicture.halved(height, halvings) + 32
        let isUsual = components == 3 && sampling[1] == (1, 1) && sampling[2] == (1, 1)
        let reduction = isUsual && (sampling[0] == (2, 2) || sampling[0] == (2, 1)) ? sampling[0].h * sampling[0].v : 1
        return width * height + (components - 1) * width * height / reduction
    }
}

/// Finds the segments of a JPEG that a decoder needs.
private struct JPEGWalk {
    private let reader: PictureBytes
    private(set) var frame: JPEGFrame?
    private(set) var kept: [Range<Int>] = []
    private(set) var profile: [Range<Int>] = []
    private(set) var orientation: PictureOrientation?
    private(set) var scanCount = 0

    init(_ reader: PictureBytes) { self.reader = reader }

    mutating func run() throws(PlaybackError) {
        var at = 2
        while let mark = reader.byte(at), let kind = reader.byte(at + 1), kind != 0xD9 || mark != 0xFF {
            // Fill bytes and markers without content are skipped.
            if mark != 0xFF || kind == 0xFF || kind <= 0x01 || (0xD0...0xD8).contains(kind) {
                at += mark == 0xFF && kind != 0xFF ? 2 : 1
                continue
            }
            guard let length = reader.big(at + 2, 2), length >= 2 else { throw EncodedPicture.damaged }
            let end = at + 2 + length
            guard end <= reader.count else { return }
            try take(kind, at..<end)
            at = kind == 0xDA ? endOfScan(from: end) : end
            // Coded bytes are kept with the header of their scan.
            if kind == 0xDA, let header = kept.popLast() { kept.append(header.lowerBound..<at) }
        }
    }

    private mutating func take(_ kind: Int, _ segment: Range<Int>) throws(PlaybackError) {
        switch kind {
        case 0xC0, 0xC1, 0xC2:
            let found = JPEGFrame(reader, at: segment.lowerBound + 2, length: segment.count - 2, isProgressive: kind == 0xC2)
            guard let found else { throw EncodedPicture.unsupported("The picture is a JPEG of an unsupported kind.") }
            guard frame == nil else { throw EncodedPicture.damaged }
            frame = found
            kept.append(segment)
        case 0xC4, 0xDB, 0xDD: try keep(segment)
        case 0xDA:
            guard frame != nil else { throw EncodedPicture.damaged }
            scanCount += 1
            try keep(segment)
        case 0xC3, 0xC5...0xC7, 0xC9...0xCF, 0xF7: throw EncodedPicture.unsupported("The picture is a JPEG of an unsupported kind.")
        case 0xE1 where orientation == nil && segment.count >= 10 && reader.begins(Array("Exif\0\0".utf8), at: segment.lowerBound + 4):
            orientation = PictureOrientation(exif: reader[(segment.lowerBound + 10)..<segment.upperBound])
        case 0xE2 where reader.begins(Array("ICC_PROFILE\0".utf8), at: segment.lowerBound + 4): profile.append(segment)
        // Adobe's segment states how the colours are coded.
        case 0xEE where segment.count <= 64: try keep(segment)
        default: break
        }
    }

    /// Keeps a segment for the decoder. Throws if the segment contains bytes that look like a frame header: FFmpeg searches for markers in a segment
    /// whose content ends early. No encoder writes such bytes.
    private mutating func keep(_ segment: Range<Int>) throws(PlaybackError) {
        for at in (segment.lowerBound + 2)..<(segment.upperBound - 1) where reader.bytes[at] == 0xFF {
            switch reader.bytes[at + 1] {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xF7: throw EncodedPicture.damaged
            default: break
            }
        }
        kept.append(segment)
    }

    /// Returns the offset after the coded bytes of a scan, which include stuffed zeros and restart markers (B.1.1.5).
    private func endOfScan(from start: Int) -> Int {
        guard let base = reader.bytes.baseAddress else { return start }
        var at = start
        while at < reader.count, let found = memchr(base + at, 0xFF, reader.count - at) {
            at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            guard let kind = reader.byte(at + 1) else { return reader.count }
            guard kind == 0 || kind == 0xFF || (0xD0...0xD7).contains(kind) else { return at }
            at += kind == 0xFF ? 1 : 2
        }
        return reader.count
    }
}
