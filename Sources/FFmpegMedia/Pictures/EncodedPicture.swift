import PlaybackEngine

/// The input of a decoder, and the memory that it needs. Only what makes pixels is passed on: texts, thumbnails and profiles can expand to any size,
/// and a second header could contradict the first.
struct EncodedPicture {
    enum Kind { case jpeg, png }
    /// A range of the picture, or bytes made for the decoder.
    enum Part {
        case original(Range<Int>)
        case bytes([UInt8])

        var count: Int {
            switch self {
            case .original(let range): range.count
            case .bytes(let bytes): bytes.count
            }
        }
    }

    let kind: Kind
    /// The size of the picture, in bytes; it counts towards `memoryLimit`, because the caller keeps the picture.
    let originalBytes: Int
    /// The sides in pixels, before the Exif orientation.
    let width: Int, height: Int
    var orientation = PictureOrientation.stored
    var mayBeTransparent = false
    /// The colour profile of a JPEG; a scaled one gets it too.
    var profile: [Range<Int>] = []
    var parts: [Part] = []
    /// The greatest number of times that the decoder can halve width and height.
    var halvings = 0
    /// The memory of the decoder besides the decoded picture, in bytes.
    var decoderBytes = 0
    /// The size of the decoded picture, in bytes.
    let decodedBytes: (_ halvings: Int) -> Int

    init(_ kind: Kind, originalBytes: Int, width: Int, height: Int, decodedBytes: @escaping (_ halvings: Int) -> Int) {
        self.kind = kind
        self.originalBytes = originalBytes
        self.width = width
        self.height = height
        self.decodedBytes = decodedBytes
    }

    /// The size of the decoder's input, in bytes.
    var packetBytes: Int { parts.reduce(0) { $0 + $1.count } }

    /// The limit for one picture, in bytes, with the original, while it is decoded and scaled. Encoding needs less.
    static let memoryLimit = 52 << 20

    /// The number of halvings that leaves `size` pixels on the longer side, or more for the memory limit. Nil if the limit is exceeded in any case.
    func halvings(toFit size: Int) -> Int? {
        let longer = max(width, height)
        var wanted = 0
        while wanted < halvings, longer >> (wanted + 1) >= size { wanted += 1 }
        return (wanted...halvings).first { halvings in
            let (width, height) = sides(toFit: size, decodedAs: halvings)
            return originalBytes + decodedBytes(halvings) + max(packetBytes + decoderBytes, 4 * width * height) <= Self.memoryLimit
        }
    }

    /// The sides of the scaled picture, in pixels: the longer has `size`, or that of the picture decoded with `halvings`; the shorter at least 1.
    func sides(toFit size: Int, decodedAs halvings: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        let wanted = min(size, Self.halved(longer, halvings))
        func side(_ length: Int) -> Int { max(1, (2 * length * wanted + longer) / (2 * longer)) }
        return (side(width), side(height))
    }

    /// The halved number of pixels, rounded up.
    static func halved(_ count: Int, _ halvings: Int) -> Int { (count + (1 << halvings) - 1) >> halvings }

    static func unsupported(_ what: String) -> PlaybackError { PlaybackError(.unsupportedFormat, what) }
    static let damaged = PlaybackError(.corruptMedia, "The picture is damaged and cannot be decoded.")
}
