public import Platform

/// The duration of a medium, and the certainty of that duration. An unknown duration is `unknown`, never a duration of 0.
public enum MediaDuration: Sendable, Hashable {
    /// The duration is not known, or the medium is infinite (live).
    case unknown
    /// The duration is an estimate from file size and bit rate: `frames` frames at `sampleRate`.
    case estimated(frames: Int64, sampleRate: Int)
    /// The duration is the exact number of frames of the original recording, without encoder delay and padding.
    case exact(frames: Int64, sampleRate: Int)

    /// The duration of the medium, in seconds; nil if unknown.
    public var seconds: Double? {
        switch self {
        case .unknown: nil
        case .estimated(let frames, let rate), .exact(let frames, let rate): Double(frames) / Double(rate)
        }
    }
    /// Whether the number of frames of the medium is exact.
    public var isExact: Bool { if case .exact = self { true } else { false } }
}

/// A tag of a media container: a key and a value.
public struct MetadataEntry: Sendable, Hashable {
    /// The key of the tag in lower case (`title`, `artist`, `album`, `album_artist`, `date`, `track`, `genre`, …). FFmpeg gives tags of the same
    /// meaning the same key in all containers.
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

/// A named part of a medium, with its start and its end in seconds.
public struct MediaChapter: Sendable, Hashable {
    public var title: OuterText
    public var start: Double
    public var end: Double
    public init(title: String, start: Double, end: Double) { self.title = OuterText(title); self.start = start; self.end = end }
}

/// The properties of a medium that are determined when the medium is opened. `MediaInfo` does not change after loading (R-ASSET-02).
public struct MediaInfo: Sendable, Hashable {
    /// FFmpeg's short name of the container (`flac`, `mp3`, `mov`).
    public var containerName: String
    /// FFmpeg's short name of the codec (`flac`, `mp3`, `aac`).
    public var codecName: String
    /// The format of the audio that the decoder delivers.
    public var format: AudioFormat
    /// The number of significant bits of a sample; nil if the codec is neither lossless nor PCM.
    public var bitsPerSample: Int?
    /// The bit rate of the medium, in bits per second; nil if unknown.
    public var bitRate: Int?
    public var duration: MediaDuration
    /// The number of frames that the encoder added before the first frame of the recording (`encoderDelay`) and after the last one
    /// (`encoderPadding`). `AudioReader.read` does not deliver the added frames.
    public var encoderDelay: Int
    public var encoderPadding: Int
    public var isSeekable: Bool
    public var isLive: Bool
    public var hasProtectedContent: Bool
    /// The date of media time zero, in seconds since 1970-01-01 UTC; nil if the medium does not map dates to times (R-SEEK-10).
    public var startDate: Double?
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

    /// Returns the value of the first tag with a key (one of FFmpeg's unified keys); nil if no tag has the key. The case of the letters in the key is
    /// ignored.
    public func tag(_ key: String) -> OuterText? {
        let wanted = key.lowercased()
        return metadata.first { $0.key.lowercased() == wanted }?.value
    }
}
