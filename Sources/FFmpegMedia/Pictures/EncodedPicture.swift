import PlaybackEngine

/// The bytes of a picture that its decoder receives, and the memory that decoding takes. Only the parts that produce the pixels are kept: texts,
/// thumbnails and profiles can expand to any size, and a second header could contradict the first.
struct EncodedPicture {
    enum Kind { case jpeg, png }
    /// A part of the decoder's input: bytes of the picture, or other bytes.
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
    /// Bytes of the picture, which its owner holds all the time.
    let originalBytes: Int
    /// The dimensions in pixels, as stored.
    let width: Int, height: Int
    var orientation = PictureOrientation.stored
    /// Whether the picture may have pixels that are not opaque.
    var mayBeTransparent = false
    /// The segments of a JPEG's colour profile, unchanged; a scaled JPEG keeps them.
    var profile: [Range<Int>] = []
    var parts: [Part] = []
    /// How many times the decoder can halve the sides.
    var halvings = 0
    /// Bytes that the decoder takes besides the decoded picture.
    var decoderBytes = 0
    /// Bytes of the decoded picture, if its sides are halved this many times.
    let decodedBytes: (_ halvings: Int) -> Int

    init(_ kind: Kind, originalBytes: Int, width: Int, height: Int, decodedBytes: @escaping (_ halvings: Int) -> Int) {
        self.kind = kind
        self.originalBytes = originalBytes
        self.width = width
        self.height = height
        self.decodedBytes = decodedBytes
    }

    /// Bytes of the decoder's input.
    var packetBytes: Int { parts.reduce(0) { $0 + $1.count } }

    /// The memory limit for one picture, its own bytes included, while it is decoded and while the result is made from the decoded picture: 52 MiB.
    /// Encoding follows, and takes less.
    static let memoryLimit = 52 << 20

    /// Returns how many times to halve the sides while decoding: as often as leaves at least `size` pixels, more often if memory requires it. Nil if
    /// it takes too much memory in any case.
    func halvings(toFit size: Int) -> Int? {
        let longer = max(width, height)
        var wanted = 0
        while wanted < halvings, longer >> (wanted + 1) >= size { wanted += 1 }
        return (wanted...halvings).first { halvings in
            let (width, height) = sides(toFit: size, decodedAs: halvings)
            return originalBytes + decodedBytes(halvings) + max(packetBytes + decoderBytes, 4 * width * height) <= Self.memoryLimit
        }
    }

    /// Returns the sides of the result: the longer one is `size` pixels, or fewer if the decoded picture has fewer; the other is in proportion, at
    /// least 1.
    func sides(toFit size: Int, decodedAs halvings: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        let wanted = min(size, Self.halved(longer, halvings))
        func side(_ length: Int) -> Int { max(1, (2 * length * wanted + longer) / (2 * longer)) }
        return (side(width), side(height))
    }

    /// Returns a number of pixels after this many halvings, rounded up.
    static func halved(_ count: Int, _ halvings: Int) -> Int { (count + (1 << halvings) - 1) >> halvings }

    static func unsupported(_ what: String) -> PlaybackError { PlaybackError(.unsupportedFormat, what) }
    static let damaged = PlaybackError(.corruptMedia, "The picture is damaged and cannot be decoded.")
}
