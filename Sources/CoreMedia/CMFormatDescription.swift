/// Four ASCII characters that name a media format.
public typealias FourCharCode = UInt32

extension FourCharCode {
    /// Makes a code of up to four ASCII characters, padded with spaces; others are ignored.
    public init(letters: String) {
        let bytes = (letters.utf8.filter { $0 < 0x80 } + [0x20, 0x20, 0x20, 0x20]).prefix(4)
        self = bytes.reduce(0) { $0 << 8 | FourCharCode($1) }
    }
}

/// The number of a track; 0 means no track.
public typealias CMPersistentTrackID = Int32

/// The counterpart of Core Audio's structure; a field of 0 is unknown or not applicable.
public struct AudioStreamBasicDescription: Sendable, Hashable {
    /// The sample rate, in frames per second.
    public var mSampleRate: Double
    public var mFormatID: UInt32
    public var mFormatFlags: UInt32
    public var mBytesPerPacket: UInt32
    public var mFramesPerPacket: UInt32
    public var mBytesPerFrame: UInt32
    public var mChannelsPerFrame: UInt32
    public var mBitsPerChannel: UInt32
    public var mReserved: UInt32

    public init(
        mSampleRate: Double = 0, mFormatID: UInt32 = 0, mFormatFlags: UInt32 = 0, mBytesPerPacket: UInt32 = 0, mFramesPerPacket: UInt32 = 0,
        mBytesPerFrame: UInt32 = 0, mChannelsPerFrame: UInt32 = 0, mBitsPerChannel: UInt32 = 0, mReserved: UInt32 = 0
    ) {
        self.mSampleRate = mSampleRate
        self.mFormatID = mFormatID
        self.mFormatFlags = mFormatFlags
        self.mBytesPerPacket = mBytesPerPacket
        self.mFramesPerPacket = mFramesPerPacket
        self.mBytesPerFrame = mBytesPerFrame
        self.mChannelsPerFrame = mChannelsPerFrame
        self.mBitsPerChannel = mBitsPerChannel
        self.mReserved = mReserved
    }
}

/// The format of a medium, here always of audio.
public final class CMFormatDescription: Sendable, Hashable {
    /// The kind of a medium: audio or video.
    public struct MediaType: RawRepresentable, Sendable, Hashable {
        public let rawValue: FourCharCode
        public init(rawValue: FourCharCode) { self.rawValue = rawValue }
        public static let audio = MediaType(rawValue: FourCharCode(letters: "soun"))
        public static let video = MediaType(rawValue: FourCharCode(letters: "vide"))
    }
    /// A codec.
    public struct MediaSubType: RawRepresentable, Sendable, Hashable {
        public let rawValue: FourCharCode
        public init(rawValue: FourCharCode) { self.rawValue = rawValue }
        public static let linearPCM = MediaSubType(rawValue: FourCharCode(letters: "lpcm"))
        public static let mpeg4AAC = MediaSubType(rawValue: FourCharCode(letters: "aac "))
        public static let mpegLayer3 = MediaSubType(rawValue: FourCharCode(letters: ".mp3"))
        public static let appleLossless = MediaSubType(rawValue: FourCharCode(letters: "alac"))
        public static let flac = MediaSubType(rawValue: FourCharCode(letters: "flac"))
        public static let opus = MediaSubType(rawValue: FourCharCode(letters: "opus"))
    }

    public let mediaType: MediaType
    public var mediaSubType: MediaSubType { MediaSubType(rawValue: audioStreamBasicDescription?.mFormatID ?? 0) }
    /// Never nil here, because every medium is audio.
    public let audioStreamBasicDescription: AudioStreamBasicDescription?

    public init(audioStreamBasicDescription: AudioStreamBasicDescription) {
        mediaType = .audio
        self.audioStreamBasicDescription = audioStreamBasicDescription
    }

    public static func == (a: CMFormatDescription, b: CMFormatDescription) -> Bool {
        a.mediaType == b.mediaType && a.audioStreamBasicDescription == b.audioStreamBasicDescription
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(audioStreamBasicDescription) }
}

/// The format description of audio.
public typealias CMAudioFormatDescription = CMFormatDescription

public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> FourCharCode { desc.mediaType.rawValue }

public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> FourCharCode { desc.mediaSubType.rawValue }
