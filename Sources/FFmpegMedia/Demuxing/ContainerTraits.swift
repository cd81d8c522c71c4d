import CFFmpeg

/// The properties of a container, from FFmpeg's demuxer. Made once, when the medium is opened.
struct ContainerTraits {
    /// The streams whose timestamps are counts of samples in the file itself, so that they are exact everywhere.
    enum ExactTimestamps {
        case none, pulseCode, vorbisAndOpus, all
    }
    /// The validity of FFmpeg's number of samples to drop at a packet's end.
    enum Trimming {
        case valid
        /// FFmpeg computes it from timestamps that it no longer has after a seek. The tag sets the limit instead.
        case invalid
        /// FFmpeg drops too many if a page holds the whole stream. The last granule position is the limit instead.
        case validWithoutLimit
    }
    /// The way to enter a container in the middle.
    enum Entrance {
        /// At a byte: the packets follow each other, and the demuxer keeps no record of them.
        case byte
        /// At a timestamp.
        case timestamp
        /// Not at all: the demuxer does not find the next packet.
        case none
    }

    let container: Container
    /// The first of the demuxer's short names in FFmpeg, such as "mov" or "ogg".
    let name: String
    let exactTimestamps: ExactTimestamps
    let trimming: Trimming
    let entrance: Entrance
    /// Whether the file itself states the packets' times, too coarse for positions but good enough to detect missing packets.
    let statesTimes: Bool
    /// Whether the header states a size of samples, from which FFmpeg computes offsets.
    let statesSampleSize: Bool
    /// Whether bytes between two packets are lost audio: the stream has no container.
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

    /// Returns the source of the positions of packets.
    ///
    /// - Parameter knowsPositions: Whether the packets state their positions themselves.
    func basis(codec: AVCodecID, timeBase: AVRational, sampleRate: Int, knowsPositions: Bool) -> PacketClock.Basis {
        if knowsPositions { return .packets }
        // One tick must be a whole number of samples, or positions would be rounded.
        guard timeBase.num > 0, timeBase.den > 0, (Int64(sampleRate) * Int64(timeBase.num)) % Int64(timeBase.den) == 0 else { return .counting }
        return switch exactTimestamps {
        case .all: .timestamps
        case .pulseCode: CodecTraits.isPulseCode(codec) ? .timestamps : .counting
        case .vorbisAndOpus: codec == AV_CODEC_ID_VORBIS || codec == AV_CODEC_ID_OPUS ? .timestamps : .counting
        case .none: .counting
        }
    }

    /// Whether FFmpeg's number of samples to drop at a packet's end is valid, in a stream whose delivery ends at `limit`.
    func trimsPackets(limit: Int64?) -> Bool {
        switch trimming {
        case .valid: true
        case .invalid: false
        case .validWithoutLimit: limit == nil
        }
    }
}
