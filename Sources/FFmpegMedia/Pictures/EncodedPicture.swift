import PlaybackEngine

/// A picture as the input of a decoder, and the memory that decoding needs. Only data that determines pixels is passed to the decoder: texts,
/// thumbnails and profiles can expand to any size, and a second header could contradict the first.
struct EncodedPicture {
    enum Kind { case jpeg, png }
    /// A part of the decoder's input: a byte range of the original picture, or bytes made for the decoder.
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
    /// The size of the original picture, in bytes; it counts towards `memoryLimit`, because the caller keeps the picture.
    let originalBytes: Int
    /// The sides in pixels, before the picture is turned by its Exif orientation.
    let width: Int, height: Int
    var orientation = PictureOrientation.stored
    var mayBeTransparent = false
    /// The segments of a JPEG that contain its colour profile. The scaled JPEG gets them too.
    var profile: [Range<Int>] = []
    var parts: [Part] = []
    /// The greatest number of times that the decoder can halve width and height.
    var halvings = 0
    /// The memory of the decoder besides the decoded picture, in bytes.
    var decoderBytes = 0
    /// Returns the size of the decoded picture, in bytes, if its sides are halved `halvings` times.
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

    /// The limit of the memory for one picture while it is decoded and scaled, in bytes, including the original. Encoding needs less.
    static let memoryLimit = 52 << 20

    /// Returns how often the decoder halves the sides: as often as possible with at least `size` pixels left on the longer side, or more often if the
    /// memory limit requires it. Nil if the limit is exceeded in any case.
    func halvings(toFit size: Int) -> Int? {
        let longer = max(width, height)
        var wanted = 0
        while wanted < halvings, longer >> (wanted + 1) >= size { wanted += 1 }
        return (wanted...halvings).first { halvings in
            let (width, height) = sides(toFit: size, decodedAs: halvings)
            return originalBytes + decodedBytes(halvings) + max(packetBytes + decoderBytes, 4 * width * height) <= Self.memoryLimit
        }
    }

    /// Returns the sides of the scaled picture, in pixels. The longer side has `size` pixels, or those of the picture decoded with `halvings` if
    /// these are fewer; the shorter side has at least one.
    func sides(toFit size: Int, decodedAs halvings: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        let wanted = min(size, Self.halved(longer, halvings))
        func side(_ length: Int) -> Int { max(1, (2 * length * wanted + longer) / (2 * longer)) }
        return (side(width), side(height))
    }

    /// Returns the number of pixels `count`, halved `halvings` times and rounded up.
    static func halved(_ count: Int, _ halvings: Int) -> Int { (count + (1 << halvings) - 1) >> halvings }

    static func unsupported(_ what: String) -> PlaybackError { PlaybackError(.unsupportedFormat, what) }
    static let damaged = PlaybackError(.corruptMedia, "The picture is damaged and cannot be decoded.")
}
