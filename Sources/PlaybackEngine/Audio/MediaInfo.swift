public import Platform

/// The duration of a medium, and its certainty.
public enum MediaDuration: Sendable, Hashable {
    /// Nothing states the duration, or the medium is infinite (live).
    case unknown
    /// The duration follows from the file's size and the bit rate.
    case estimated(frames: Int64, sampleRate: Int)
    /// The frames of the original recording, without encoder delay and padding.
    case exact(frames: Int64, sampleRate: Int)

    public var seconds: Double? {
        switch self {
        case .unknown: nil
        case .estimated(let frames, let rate), .exact(let frames, let rate): Double(frames) / Double(rate)
        }
    }
    public var isExact: Bool { if case .exact = self { true } else { false } }
}

/// A tag of a media container.
public struct MetadataEntry: Sendable, Hashable {
    /// The key, in lower case (`title`, `artist`, `album_artist`, …); FFmpeg gives tags of the same meaning the same key in all containers.
    public var key: String
    public var value: OuterText
    public init(key: String, value: String) { self.key = key; self.value = OuterText(value) }
}

/// A picture that belongs to a medium.
public struct Artwork: Sendable, Hashable {
    public var mimeType: String
    public var data: [UInt8]
    public init(mimeType: String, data: [UInt8]) { self.mimeType = mimeType; self.data = data }
}

/// A named part of a medium; start and end are in seconds.
public struct MediaChapter: Sendable, Hashable {
    public var title: OuterText
    public var start: Double
    public var end: Double
    public init(title: String, start: Double, end: Double) { self.title = OuterText(title); self.start = start; self.end = end }
}

/// The facts that are determined when a medium is opened; they do not change after loading (R-ASSET-02).
public struct MediaInfo: Sendable, Hashable {
    /// FFmpeg's short name (`flac`, `mp3`, `mov`).
    public var containerName: String
    /// FFmpeg's short name (`flac`, `mp3`, `aac`).
    public var codecName: String
    /// The format that the decoder delivers.
    public var format: AudioFormat
    /// The number of significant bits; nil if the codec is neither lossless nor PCM.
    public var bitsPerSample: Int?
    /// Whether the decoded samples are floating-point numbers.
    public var isFloat = false
    /// Whether the samples after a seek are those of uninterrupted reading. Some decoders put random noise in the place of inaudible sound, which is
    /// another after a seek.
    public var isRepeatable = true
    /// The bits per second.
    public var bitRate: Int?
    public var duration: MediaDuration
    /// The frames that the encoder added before the recording (`encoderDelay`) and after it; `AudioReader.read` does not deliver them.
    public var encoderDelay: Int
    public var encoderPadding: Int
    public var isSeekable: Bool
    public var isLive: Bool
    /// Whether the medium is a playlist of segments (HTTP Live Streaming).
    public var isSegmented = false
    public var hasProtectedContent: Bool
    /// The date of media time zero, in seconds since 1970-01-01 UTC (R-SEEK-10).
    public var startDate: Double?
    /// The tags. One with several values has an entry for each, in their order and one after the other.
    public var metadata: [MetadataEntry]
    public var chapters: [MediaChapter]
    public var artwork: Artwork?

    public init(
        containerName: String, codecName: String, format: AudioFormat, bitsPerSample: Int? = nil, bitRate: Int? = nil,
        duration: MediaDuration = .unknown, encoderDelay: Int = 0, encoderPadding: Int = 0, isSeekable: Bool = true, isLive: Bool = false,
        hasProtectedContent: Bool = false, metadata: [MetadataEntry] = [], chapters: [MediaChapter] = [], artwork: Artwork? = nil
    ) {
        self.containerName = containerName
        self.codecName = codecName
        self.format = format
        self.bitsPerSample = bitsPerSample
        self.bitRate = bitRate
        self.duration = duration
        self.encoderDelay = encoderDelay
        self.encoderPadding = encoderPadding
        self.isSeekable = isSeekable
        self.isLive = isLive
        self.hasProtectedContent = hasProtectedContent
        self.metadata = metadata
        self.chapters = chapters
        self.artwork = artwork
    }

    /// The number of bits that a decoded sample needs: of floats of 32 bits their precision, 24; nil if the codec is neither lossless nor PCM.
    public var neededBits: Int? { bitsPerSample.map { isFloat && $0 <= 32 ? AudioFormat.precision : $0 } }

    /// The value of the first tag with a key, regardless of case; FFmpeg unifies the keys (`MetadataEntry.key`).
    public func tag(_ key: String) -> OuterText? {
        let wanted = key.lowercased()
        return metadata.first { $0.key.lowercased() == wanted }?.value
    }

    /// All values of a tag with a key, in their order.
    public func values(_ key: String) -> [OuterText] {
        let wanted = key.lowercased()
        return metadata.filter { $0.key.lowercased() == wanted }.map(\.value)
    }
}

extension Collection<OuterText> {
    /// The values of a tag as one text for display; nil without a value.
    public var joined: OuterText? { isEmpty ? nil : OuterText(map(String.init).joined(separator: ", ")) }
}

/// Makes small pictures of large ones. For implementers: the bytes are hostile, and memory and time of a call must be bounded.
public protocol PictureScaler: Sendable {
    /// Returns a picture of the same proportions whose longer side has at most `size` pixels, with the orientation applied; `picture` itself if
    /// it is small.
    ///
    /// May be called on any thread; scales one picture at a time to limit the memory, and blocks for up to two seconds. Throws `unsupportedFormat`
    /// (also for too large pictures), `corruptMedia` or `outOfMemory`.
    func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork
}
