import CFFmpeg

/// How positions in a container are found, how it is trimmed, and how reading begins in the middle, by FFmpeg's demuxer.
struct ContainerTraits {
    /// Exact everywhere, because the file itself counts samples.
    enum ExactTimestamps {
        case none, pulseCode, vorbisAndOpus, all
    }
    /// Whether FFmpeg's number of samples to drop at the end of a packet is right.
    enum Trimming {
        case valid
        /// FFmpeg computes it from timestamps that it does not have after a seek; an MP3 file's `XingTag` limits the audio.
        case invalid
        /// Only if the end is unknown; otherwise the last granule position limits the audio. Too large if one Ogg page holds the whole stream.
        case validWithoutLimit
    }
    /// Into the middle of the medium.
    enum Entrance {
        /// The packets follow each other, and the demuxer keeps no record.
        case byte
        /// FFmpeg's demuxer finds the packet by its time.
        case timestamp
        /// FFmpeg's demuxer does not find a packet in the middle.
        case none
    }

    let container: Container
    /// FFmpeg's, such as "mov" or "ogg".
    let name: String
    let exactTimestamps: ExactTimestamps
    let trimming: Trimming
    let entrance: Entrance
    /// Too coarsely for positions, but well enough to detect missing packets.
    let statesTimes: Bool
    /// Of a PCM frame, in the header, from which FFmpeg computes byte offsets.
    let statesSampleSize: Bool
    /// MPEG audio or AC-3 without a container: bytes between packets are lost audio.
    let isBareStream: Bool

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
        switch container {
        case .aiff, .au, .w64, .wave: statesSampleSize = true
        default: statesSampleSize = false
        }
        isBareStream = container == .mpegAudio || container == .ac3
    }

    /// MPEG audio or ADTS without a container, whose frames are found by their headers.
    var isFrameStream: Bool { container == .mpegAudio || container == .adts }

    /// By timestamps, by the packets themselves, or by counting.
    /// - Parameter knowsPositions: Packets state their own, as FLAC frames do.
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

    /// `limit` is where the audio is known to end.
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
