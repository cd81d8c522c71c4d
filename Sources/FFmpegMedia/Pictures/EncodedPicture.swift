import PlaybackEngine

/// The bytes of a picture that a decoder receives, and the memory that decoding needs. Only the parts of a picture that produce its pixels are passed
/// to the decoder: texts, thumbnails and profiles can expand to any size, and a second header could contradict the first.
struct EncodedPicture {
    enum Kind { case jpeg, png }
    /// A part of the picture decoder's input: a range of the picture's bytes, or bytes that were made for the decoder.
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
    /// The size of the original picture, in bytes. It counts towards `memoryLimit`, because the caller keeps these bytes in memory all the time.
    let originalBytes: Int
    /// The dimensions of the picture in pixels, before it is turned by its Exif orientation.
    let width: Int, height: Int
    var orientation = PictureOrientation.stored
    /// Whether the picture may have pixels that are not opaque.
    var mayBeTransparent = false
    /// The byte ranges of the colour profile in a JPEG. A scaled JPEG gets the colour profile of the original.
    var profile: [Range<Int>] = []
    var parts: [Part] = []
    /// The maximum number of times that the decoder can halve the width and the height of the picture.
    var halvings = 0
    /// The memory that the picture decoder needs in addition to the decoded picture, in bytes.
    var decoderBytes = 0
    /// Returns the size of the decoded picture, in bytes, if the decoder halves its width and height `halvings` times.
    let decodedBytes: (_ halvings: Int) -> Int

    init(_ kind: Kind, originalBytes: Int, width: Int, height: Int, decodedBytes: @escaping (_ halvings: Int) -> Int) {
        self.kind = kind
        self.originalBytes = originalBytes
        self.width = width
        self.height = height
        self.decodedBytes = decodedBytes
    }

    /// The size of the picture decoder's input, in bytes.
    var packetBytes: Int { parts.reduce(0) { $0 + $1.count } }

    /// The memory limit for one picture, in bytes: 52 MiB. It includes the bytes of the original picture, and applies while the picture is decoded
    /// and while it is scaled. Encoding follows, and needs less memory.
    static let memoryLimit = 52 << 20

    /// Returns how many times the decoder should halve the picture's sides: as many times as possible while the longer side keeps at least `size`
    /// pixels, and more times only if the memory limit requires it. Returns nil if decoding exceeds the memory limit in any case.
    func halvings(toFit size: Int) -> Int? {
        let longer = max(width, height)
        var wanted = 0
        while wanted < halvings, longer >> (wanted + 1) >= size { wanted += 1 }
        return (wanted...halvings).first { halvings in
            let (width, height) = sides(toFit: size, decodedAs: halvings)
            return originalBytes + decodedBytes(halvings) + max(packetBytes + decoderBytes, 4 * width * height) <= Self.memoryLimit
        }
    }

    /// Returns the width and height of the scaled picture, in pixels. The longer side has `size` pixels, or the length of the decoded picture's
    /// longer side if that is less. The shorter side is in proportion, at least 1 pixel.
    ///
    /// - Parameter halvings: The number of times that the decoder halves the sides of the picture.
    func sides(toFit size: Int, decodedAs halvings: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        let wanted = min(size, Self.halved(longer, halvings))
        func side(_ length: Int) -> Int { max(1, (2 * length * wanted + longer) / (2 * longer)) }
        return (side(width), side(height))
    }

    /// Returns the length of a picture's side, in pixels, after it was halved `halvings` times, rounded up.
    static func halved(_ count: Int, _ halvings: Int) -> Int { (count + (1 << halvings) - 1) >> halvings }

    static func unsupported(_ what: String) -> PlaybackError { PlaybackError(.unsupportedFormat, what) }
    static let damaged = PlaybackError(.corruptMedia, "The picture is damaged and cannot be decoded.")
}
