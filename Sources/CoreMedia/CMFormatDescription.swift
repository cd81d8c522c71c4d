/// Four letters in a number, as media formats are named.
public typealias FourCharCode = UInt32

extension FourCharCode {
    /// The number of a name of four letters; what is missing is filled with spaces, what is more or not ASCII is left out.
    public init(letters: String) {
        let bytes = (letters.utf8.filter { $0 < 0x80 } + [0x20, 0x20, 0x20, 0x20]).prefix(4)
        self = bytes.reduce(0) { $0 << 8 | FourCharCode($1) }
    }
}

/// Identifies a track of an asset. 0 is none.
public typealias CMPersistentTrackID = Int32

/// What a stream of sound consists of. Core Audio's structure, with its names; 0 is unknown, or does not apply.
public struct AudioStreamBasicDescription: Sendable, Hashable {
    /// Frames a second.
    public var mSampleRate: Double
    /// The codec.
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

/// Describes the format of media. Here it is always that of sound.
public final class CMFormatDescription: Sendable, Hashable {
    /// A kind of media.
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
    /// The sound's rate, channels and bits.
    public let audioStreamBasicDescription: AudioStreamBasicDescription?

    /// The format of sound.
    public init(audioStreamBasicDescription: AudioStreamBasicDescription) {
        mediaType = .audio
        self.audioStreamBasicDescription = audioStreamBasicDescription
    }

    public static func == (a: CMFormatDescription, b: CMFormatDescription) -> Bool {
        a.mediaType == b.mediaType && a.audioStreamBasicDescription == b.audioStreamBasicDescription
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(audioStreamBasicDescription) }
}

/// The format of sound.
public typealias CMAudioFormatDescription = CMFormatDescription

/// The kind of media.
public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> FourCharCode { desc.mediaType.rawValue }

/// The codec.
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> FourCharCode { desc.mediaSubType.rawValue }
