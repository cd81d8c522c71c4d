import CFFmpeg

/// The properties of a container format that determine how positions in it are found, how it is trimmed, and how reading begins in the middle. They
/// depend on FFmpeg's demuxer, and are determined once, when the medium is opened.
struct ContainerTraits {
    /// The kinds of streams in the container whose timestamps are exact everywhere, because the file itself counts samples.
    enum ExactTimestamps {
        case none, pulseCode, vorbisAndOpus, all
    }
    /// Whether FFmpeg reports correctly how many samples to drop at the end of a packet.
    enum Trimming {
        case valid
        /// FFmpeg's number is not used: FFmpeg computes it from timestamps that it does not have after a seek. Instead, the length in an MP3 file's
        /// tag (`XingTag`) limits the audio.
        case invalid
        /// FFmpeg's number is used only if the end of the audio is unknown; otherwise the last granule position of the Ogg stream limits the audio.
        /// FFmpeg's number is too large if a single Ogg page holds the whole stream.
        case validWithoutLimit
    }
    /// How reading can begin in the middle of the medium.
    enum Entrance {
        /// At any byte offset: the packets follow each other, and the demuxer keeps no record of them.
        case byte
        /// At a timestamp: FFmpeg's demuxer finds the packet by its time.
        case timestamp
        /// Not at all: FFmpeg's demuxer does not find the beginning of a packet in the middle.
        case none
    }

    let container: Container
    /// The first of the short names of FFmpeg's demuxer for the container, such as "mov" or "ogg".
    let name: String
    let exactTimestamps: ExactTimestamps
    let trimming: Trimming
    let entrance: Entrance
    /// Whether the container states the times of its packets only roughly: too coarsely for positions, but well enough to detect missing packets.
    let statesTimes: Bool
    /// Whether the container's header states the size of a PCM frame, from which FFmpeg computes byte offsets.
    let statesSampleSize: Bool
    /// Whether the medium is MPEG audio or AC-3 without a container, so that bytes between two packets are lost audio.
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

    /// Whether the medium is MPEG audio or ADTS without a container, so that its frames are found by their headers.
    var isFrameStream: Bool { container == .mpegAudio || container == .adts }

    /// Returns how the positions of the stream's packets are determined: by their timestamps, by the packets themselves, or by counting.
    ///
    /// - Parameter knowsPositions: Whether the packets state their own positions, as FLAC frames do.
    func basis(codec: AVCodecID, timeBase: AVRational, sampleRate: Int, knowsPositions: Bool) -> PacketClock.Basis {
        if knowsPositions { return .packets }
        // One tick of the stream's time base must be a whole number of samples, because otherwise positions would be rounded.
        guard timeBase.num > 0, timeBase.den > 0, (Int64(sampleRate) * Int64(timeBase.num)) % Int64(timeBase.den) == 0 else { return .counting }
        return switch exactTimestamps {
        case .all: .timestamps
        case .pulseCode: CodecTraits.isPulseCode(codec) ? .timestamps : .counting
        case .vorbisAndOpus: codec == AV_CODEC_ID_VORBIS || codec == AV_CODEC_ID_OPUS ? .timestamps : .counting
        case .none: .counting
        }
    }

    /// Returns whether FFmpeg reports correctly how many samples to drop at the end of a packet. `limit` is the position at which the stream's audio
    /// is known to end; nil if its end is unknown.
    func trimsPackets(limit: Int64?) -> Bool {
        switch trimming {
        case .valid: true
        case .invalid: false
        case .validWithoutLimit: limit == nil
        }
    }
}
