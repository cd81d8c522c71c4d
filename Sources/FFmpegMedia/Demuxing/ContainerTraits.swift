import CFFmpeg

/// The properties of a container, by FFmpeg's demuxer: how positions are found, how the audio is trimmed, and how reading begins in the middle.
struct ContainerTraits {
    /// The codecs whose timestamps are exact everywhere, because the file itself counts samples.
    enum ExactTimestamps {
        case none, pulseCode, vorbisAndOpus, all
    }
    /// Whether FFmpeg's number of samples to drop at the end of a packet is right.
    enum Trimming {
        case valid
        /// The number is wrong: FFmpeg computes it from timestamps that it does not have after a seek. An MP3 file's `XingTag` limits the audio.
        case invalid
        /// The number is right only if the end is unknown; otherwise the last granule position limits the audio. It is too large if one Ogg page
        /// contains the whole stream.
        case validWithoutLimit
    }
    /// The way in which reading can begin in the middle of the medium.
    enum Entrance {
        /// Reading begins at a byte offset: the packets simply follow each other, and the demuxer keeps no account of its position.
        case byte
        /// FFmpeg's demuxer finds the packet by its time.
        case timestamp
        /// FFmpeg's demuxer does not find a packet in the middle.
        case none
    }

    let container: Container
    /// FFmpeg's name, such as "mov" or "ogg".
    let name: String
    let exactTimestamps: ExactTimestamps
    let trimming: Trimming
    let entrance: Entrance
    /// Whether the container states times, too coarsely for positions, but well enough to detect missing packets.
    let statesTimes: Bool

    init(_ format: UnsafePointer<AVInputFormat>) {
        name = String(cString: format.pointee.name).split(separator: ",").first.map(String.init) ?? ""
        container = Container(demuxer: name)
        switch container {
        case .ape, .coreAudio, .flac, .mp4, .tak, .trueAudio, .wavPack: exactTimestamps = .all
        case .aiff, .au, .w64, .wave: exactTimestamps = .pulseCode
        case .ogg: exactTimestamps = .vorbisAndOpus
        default: exactTimestamps = .none
        }
        switch container {
        case .mpegAudio: trimming = .invalid
        case .ogg: trimming = .validWithoutLimit
        default: trimming = .valid
        }
        switch container {
        case .voc: entrance = .none
        case .ac3, .adts, .dts, .dtsHD, .enhancedAC3, .gsm, .latm, .loas, .mlp, .mpegAudio, .mpegProgram, .mpegTransport, .ogg, .trueHD:
            entrance = format.pointee.flags & AVFMT_NO_BYTE_SEEK == 0 ? .byte : .timestamp
        default: entrance = .timestamp
        }
        switch container {
        case .asf, .flv, .matroska, .mpegProgram, .mpegTransport: statesTimes = true
        default: statesTimes = false
        }
    }

    /// Whether the header states the size of a PCM frame, from which FFmpeg computes byte offsets.
    var statesSampleSize: Bool { exactTimestamps == .pulseCode }

    /// Whether the medium is MPEG audio or AC-3 without a container: bytes between packets are lost audio.
    var isBareStream: Bool { container == .mpegAudio || container == .ac3 }

    /// Whether the medium is MPEG audio or ADTS without a container, whose frames are found by their headers.
    var isFrameStream: Bool { container == .mpegAudio || container == .adts }

    /// The way in which positions are found: by timestamps, by the packets themselves, or by counting.
    /// - Parameter knowsPositions: Whether packets state their own positions, as FLAC frames do.
    func basis(codec: AVCodecID, timeBase: AVRational, sampleRate: Int, knowsPositions: Bool) -> PacketClock.Basis {
        if knowsPositions { return .packets }
        // One tick must be a whole number of samples.
        guard timeBase.num > 0, timeBase.den > 0, (Int64(sampleRate) * Int64(timeBase.num)) % Int64(timeBase.den) == 0 else { return .counting }
        return switch exactTimestamps {
        case .all: .timestamps
        case .pulseCode: CodecTraits.isPulseCode(codec) ? .timestamps : .counting
        case .vorbisAndOpus: codec == AV_CODEC_ID_VORBIS || codec == AV_CODEC_ID_OPUS ? .timestamps : .counting
        case .none: .counting
        }
    }

    /// Whether packets are trimmed by FFmpeg's number. `limit` is the known end of the audio; nil if it is unknown.
    func trimsPackets(limit: Int64?) -> Bool {
        switch trimming {
        case .valid: true
        case .invalid: false
        case .validWithoutLimit: limit == nil
        }
    }
}

/// The containers that Tonearm treats specially, by FFmpeg's first short name. Only here and in `DemuxerPolicy` are such names.
enum Container: String {
    case ac3, aiff, ape, asf, au, flac, flv, matroska, mlp, ogg, tak, voc, w64
    case adts = "aac"
    case coreAudio = "caf"
    case dts
    case dtsHD = "dtshd"
    case enhancedAC3 = "eac3"
    case gsm
    case latm
    case loas
    case mp4 = "mov"
    case mpegAudio = "mp3"
    case mpegProgram = "mpeg"
    case mpegTransport = "mpegts"
    case trueAudio = "tta"
    case trueHD = "truehd"
    case wave = "wav"
    case wavPack = "wv"
    case other = ""

    init(demuxer name: String) { self = Container(rawValue: name) ?? .other }
}
