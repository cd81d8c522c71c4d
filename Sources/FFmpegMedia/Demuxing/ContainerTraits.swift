import CFFmpeg

/// The properties of a container, by FFmpeg's demuxer. They are determined once, when the medium is opened.
struct ContainerTraits {
    /// The kinds of streams in a container whose timestamps are counts of samples in the file itself, so that these timestamps are exact everywhere.
    enum ExactTimestamps {
        case none, pulseCode, vorbisAndOpus, all
    }
    /// Whether FFmpeg's number of samples to drop at the end of a packet is valid.
    enum Trimming {
        case valid
        /// FFmpeg's number of samples to drop is invalid: FFmpeg computes it from timestamps that it does not have after a seek. The length in the
        /// file's tag (`XingTag`) limits the audio instead.
        case invalid
        /// FFmpeg's number of samples to drop is valid only without a limit: FFmpeg drops too many samples if an Ogg page holds the whole stream. The
        /// last granule position limits the audio instead, if it is known.
        case validWithoutLimit
    }
    /// The way in which reading can begin in the middle of a container.
    enum Entrance {
        /// Reading can begin at a byte offset: the packets follow each other, and the demuxer keeps no record of them.
        case byte
        /// Reading can begin at a timestamp: the demuxer finds the packet by its time.
        case timestamp
        /// Reading cannot begin in the middle of the container: there the demuxer does not find the beginning of a packet.
        case none
    }

    let container: Container
    /// The first of the demuxer's short names in FFmpeg, such as "mov" or "ogg".
    let name: String
    let exactTimestamps: ExactTimestamps
    let trimming: Trimming
    let entrance: Entrance
    /// Whether the file itself states the times of packets. The times are too coarse for positions but good enough to detect missing packets.
    let statesTimes: Bool
    /// Whether the header states the size of a sample, from which FFmpeg computes byte offsets.
    let statesSampleSize: Bool
    /// Whether the stream has no container, so that bytes between two packets are lost audio.
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

    /// Returns how the positions of packets are determined.
    ///
    /// - Parameter knowsPositions: Whether the packets state their positions themselves, as FLAC frames do.
    func basis(codec: AVCodecID, timeBase: AVRational, sampleRate: Int, knowsPositions: Bool) -> PacketClock.Basis {
        if knowsPositions { return .packets }
        // One tick of the time base must be a whole number of samples, because otherwise positions would be rounded.
        guard timeBase.num > 0, timeBase.den > 0, (Int64(sampleRate) * Int64(timeBase.num)) % Int64(timeBase.den) == 0 else { return .counting }
        return switch exactTimestamps {
        case .all: .timestamps
        case .pulseCode: CodecTraits.isPulseCode(codec) ? .timestamps : .counting
        case .vorbisAndOpus: codec == AV_CODEC_ID_VORBIS || codec == AV_CODEC_ID_OPUS ? .timestamps : .counting
        case .none: .counting
        }
    }

    /// Returns whether FFmpeg's number of samples to drop at the end of a packet is valid in a stream whose audio ends at position `limit`; nil means
    /// no limit.
    func trimsPackets(limit: Int64?) -> Bool {
        switch trimming {
        case .valid: true
        case .invalid: false
        case .validWithoutLimit: limit == nil
        }
    }
}
